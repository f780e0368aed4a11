import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import weka.classifiers.evaluation.Evaluation;
import weka.core.Attribute;
import weka.core.DenseInstance;
import weka.core.Instances;
import weka.core.Version;

/** Weka's own macro F1 of predictions: one line "CLASSES GOLD PREDICTED" in (labels are digits), one number out. */
public class WekaMacroF1 {
    public static void main(String[] arguments) throws Exception {
        System.out.println(Version.VERSION);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] parts = line.split(" ");
            System.out.println(score(Integer.parseInt(parts[0]), parts[1], parts[2]));
        }
    }

    private static double score(int classes, String gold, String predicted) throws Exception {
        List<String> names = new ArrayList<>();
        for (int label = 0; label < classes; label++) {
            names.add("class" + label);
        }
        ArrayList<Attribute> attributes = new ArrayList<>();
        attributes.add(new Attribute("label", names));
        Instances data = new Instances("gold", attributes, gold.length());
        data.setClassIndex(0);
        for (char label : gold.toCharArray()) {
            data.add(new DenseInstance(1.0, new double[] {label - '0'}));
        }
        Evaluation evaluation = new Evaluation(data);
        for (int row = 0; row < gold.length(); row++) {
            double[] distribution = new double[classes];
            distribution[predicted.charAt(row) - '0'] = 1;
            evaluation.evaluateModelOnceAndRecordPrediction(distribution, data.instance(row));
        }
        return evaluation.unweightedMacroFmeasure();
    }
}
