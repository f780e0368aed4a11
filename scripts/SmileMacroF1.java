import java.io.BufferedReader;
import java.io.InputStreamReader;
import smile.validation.metric.Averaging;
import smile.validation.metric.FScore;

/** Smile's own macro F1 of predictions: one line "GOLD PREDICTED" in (labels are digits), one number out. */
public class SmileMacroF1 {
    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] sides = line.split(" ");
            System.out.println(FScore.of(labels(sides[0]), labels(sides[1]), 1.0, Averaging.Macro));
        }
    }

    private static int[] labels(String side) {
        return side.chars().map(label -> label - '0').toArray();
    }
}
