// Print the macro F1 of Spark NLP's ClassifierMetrics for lines such as "6 000112 001130": the number of declared
// classes, gold and predicted labels as digits. It prints more itself: the line that begins with Macro-average counts.
import com.johnsnowlabs.nlp.annotators.classifier.dl.ClassifierMetrics

object SparkNlpMacroF1 extends ClassifierMetrics {
  def main(args: Array[String]): Unit = {
    for (line <- scala.io.Source.stdin.getLines()) {
      val Array(n, gold, predicted) = line.split(" ")
      val rows = gold.zip(predicted)
      def number(kept: ((Char, Char)) => Boolean, label: ((Char, Char)) => Char): Map[String, Int] =
        rows.filter(kept).groupBy(label).map { case (name, found) => name.toString -> found.size }
      val labels = (0 until n.toInt).map(_.toString)
      val wrong = (row: (Char, Char)) => row._1 != row._2
      aggregatedMetrics(labels, number(!wrong(_), _._1), number(wrong, _._2), number(wrong, _._1), false, false, "")
    }
  }
}
