"""Run the systems that are not Python packages, and record their output for the tests: tests/golden/peers.json.

Needs Java and Weka's jar (https://ml.cms.waikato.ac.nz/weka/; python-weka-wrapper3 on PyPI contains a copy), PySpark,
Perl and the official scorers of the shared tasks, R with yardstick and caret; in folders named by version or commit,
compiled classes of smile, scripts/LinfaMacroF1.rs compiled with linfa, and scripts/SparkNlpMacroF1.scala compiled with
Spark NLP's ClassifierMetrics.scala. Only their output is kept here. To re-run with newer versions: python
scripts/record_peers.py --weka weka.jar --germeval-2018 evaluationScriptGermeval2018.pl --semeval-2010-8
semeval2010_task8_scorer-v1.2.pl --semeval-2018-7 semeval2018_task7_scorer-v1.1.pl --spark-mllib --yardstick R --caret R
--smile-before-6.2.5 6.2.4:MORE --smile 6.3.0:MORE --linfa 0.8.1/linfa --spark-nlp 9df4c50:MORE, where MORE is what else
Java needs to load them
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
CASES = 40
RELATIONS = ("COMPARE", "MODEL-FEATURE", "PART_WHOLE", "RESULT", "TOPIC", "USAGE")
# The last one is not averaged over.
RELATIONS_2010 = ("Cause-Effect", "Component-Whole", "Content-Container", "Entity-Origin", "Message-Topic", "Other")
GERMEVAL = ("ABUSE", "INSULT", "OTHER", "PROFANITY")


def cases(n_classes: int) -> Iterator[tuple[str, str]]:
    """Yield labels as digits: some classes are absent, some only gold, some only predicted."""
    yield "000112", "001130"
    rng = np.random.default_rng(2018)
    for _ in range(CASES):
        size = int(rng.integers(1, 60))
        gold = rng.choice(rng.choice(n_classes, int(rng.integers(1, n_classes + 1)), replace=False), size)
        others = rng.choice(rng.choice(n_classes, int(rng.integers(1, n_classes + 1)), replace=False), size)
        predicted = np.where(rng.random(size) < rng.choice([0.2, 0.5, 0.8]), gold, others)
        yield "".join(map(str, gold)), "".join(map(str, predicted))


def weka(jar: Path) -> dict[str, object]:
    """Ask Weka's Evaluation; the first line that comes back is its version."""
    asked = [(6, *case) for case in cases(6)]
    done = subprocess.run(
        ["java", "-cp", str(jar), str(ROOT / "scripts" / "WekaMacroF1.java")],  # noqa: S607
        input="".join(f"{n} {gold} {predicted}\n" for n, gold, predicted in asked),
        capture_output=True,
        text=True,
        check=True,
    )
    version, *values = done.stdout.split()
    return recorded(f"Weka {version}, Evaluation.unweightedMacroFmeasure()", "1", 6, values)


def germeval(script: Path) -> dict[str, object]:
    """Ask the official scorer, fine-grained task: four fixed labels."""
    values = []
    for sides in cases(len(GERMEVAL)):
        lines = [[f"text\tOTHER\t{GERMEVAL[int(digit)]}\n" for digit in side] for side in sides]
        printed = perl(script, lines, "--gold", "--pred", after=("--task", "2"))
        values += re.findall(r"AVERAGE: .* fscore=([\d.]+)", printed)
    return recorded("evaluationScriptGermeval2018.pl (version 1.0), --task 2", "percent", len(GERMEVAL), values)


def semeval_2010(script: Path) -> dict[str, object]:
    """Ask the official scorer for its official score: the last of three; all relations run in one direction."""
    values = []
    names = [name if name == "Other" else f"{name}(e1,e2)" for name in RELATIONS_2010]
    for gold, predicted in cases(len(names)):
        lines = [[f"{row}\t{names[int(digit)]}\n" for row, digit in enumerate(side, 1)] for side in (predicted, gold)]
        # Where all gold relations are Other there is none to average over, and it divides by zero.
        printed = perl(script, lines, "", "") if {*gold} != {"5"} else "macro-averaged F1 = nan%"
        values += re.findall(r"macro-averaged F1 = ([\d.]+|nan)%", printed)
    return recorded("semeval2010_task8_scorer, version 1.2", "percent", len(names), values)


def mllib(_: Path) -> dict[str, object]:
    """Ask MLlib's evaluator for its default metric."""
    import pyspark
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    evaluator = MulticlassClassificationEvaluator()
    values = []
    for sides in cases(6):
        rows = [tuple(map(float, pair)) for pair in zip(*sides, strict=True)]
        values.append(repr(evaluator.evaluate(spark.createDataFrame(rows, ["label", "prediction"]))))
    spark.stop()
    return recorded(f"Spark MLlib {pyspark.__version__}, MulticlassClassificationEvaluator()", "1", 6, values)


def semeval(script: Path) -> dict[str, object]:
    """Ask the official scorer, classification scenario."""
    values = []
    for gold, predicted in cases(len(RELATIONS)):
        lines = [
            [f"{RELATIONS[int(digit)]}(P00-0001.{2 * row},P00-0001.{2 * row + 1})\n" for row, digit in enumerate(side)]
            for side in (predicted, gold)
        ]
        printed = perl(script, lines, "", "")
        values += re.findall(r"classification scenario is macro-averaged F1 = ([\d.]+)%", printed)
    return recorded("semeval2018_task7_scorer, version 1.1", "percent", len(RELATIONS), values)


def smile(classes: Path) -> dict[str, object]:
    """Ask smile's FScore; classes are numbered from 0 to the largest label."""
    done = subprocess.run(
        ["java", "-cp", str(classes), str(ROOT / "scripts" / "SmileMacroF1.java")],  # noqa: S607
        input="".join(f"{gold} {predicted}\n" for gold, predicted in cases(6)),
        capture_output=True,
        text=True,
        check=True,
    )
    version = Path(str(classes).split(os.pathsep)[0]).name
    return recorded(f"smile {version}, FScore.of(truth, prediction, 1, Averaging.Macro)", "1", 6, done.stdout.split())


def spark_nlp(classes: Path) -> dict[str, object]:
    """Ask the trait with which Spark NLP's classifiers are evaluated in training; it computes in single precision."""
    done = subprocess.run(
        ["java", "-cp", str(classes), "SparkNlpMacroF1"],  # noqa: S607
        input="".join(f"6 {gold} {predicted}\n" for gold, predicted in cases(6)),
        capture_output=True,
        text=True,
        check=True,
    )
    values = re.findall(r"Macro-average.* f1: (\S+)", done.stdout)
    commit = Path(str(classes).split(os.pathsep)[0]).name
    return recorded(f"Spark NLP {commit}, ClassifierMetrics.aggregatedMetrics", "float32", 6, values)


def linfa(program: Path) -> dict[str, object]:
    """Ask linfa, which computes in single precision."""
    done = subprocess.run(
        [program],
        input="".join(f"{gold} {predicted}\n" for gold, predicted in cases(6)),
        capture_output=True,
        text=True,
        check=True,
    )
    return recorded(f"linfa {program.parent.name}, ConfusionMatrix::f1_score", "float32", 6, done.stdout.split())


def r_package(name: str) -> Callable[[Path], dict[str, object]]:
    """Return how to ask an R package, given the path of R."""

    def ask(program: Path) -> dict[str, object]:
        done = subprocess.run(
            [program, "--slave", "--no-save", "-f", ROOT / "scripts" / "r_macro_f1.R", "--args", name, "6"],
            input="".join(f"{gold} {predicted}\n" for gold, predicted in cases(6)),
            capture_output=True,
            text=True,
            check=True,
        )
        version, *values = done.stdout.split()
        return recorded(f"{name} {version}", "1", 6, ["NaN" if value == "NA" else value for value in values])

    return ask


def perl(script: Path, files: list[list[str]], *options: str, after: tuple[str, ...] = ()) -> str:
    """Run a script on files of these lines."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = []
        for number, (lines, option) in enumerate(zip(files, options, strict=True)):
            path = Path(folder, f"{number}.txt")
            path.write_text("".join(lines))
            arguments += [*([option] if option else []), str(path)]
        command = ["perl", str(script), *arguments, *after]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def recorded(system: str, unit: str, n_classes: int, values: list[str]) -> dict[str, object]:
    """Put cases and what was printed side by side."""
    rows = [[gold, predicted, value] for (gold, predicted), value in zip(cases(n_classes), values, strict=True)]
    return {"system": system, "unit": unit, "n_classes": n_classes, "cases": rows}


def main() -> None:
    """Run what was given; what was not given keeps its record."""
    parser = argparse.ArgumentParser(description="Record what systems outside Python print.")
    systems = {
        "weka": weka,
        "germeval-2018": germeval,
        "semeval-2010-8": semeval_2010,
        "semeval-2018-7": semeval,
        "spark-mllib": mllib,
        "yardstick": r_package("yardstick"),
        "caret": r_package("caret"),
        "smile-before-6.2.5": smile,
        "smile": smile,
        "linfa": linfa,
        "spark-nlp": spark_nlp,
    }
    for name in systems:
        parser.add_argument(f"--{name}", type=Path, dest=name, nargs="?", const=Path())
    given = vars(parser.parse_args())
    target = ROOT / "tests" / "golden" / "peers.json"
    record = json.loads(target.read_text()) if target.exists() else {}
    for name, run in systems.items():
        if given[name] is not None:
            record[name] = run(given[name])
            print(f"{name}: {record[name]['system']}, {len(record[name]['cases'])} cases")
    # One case per line, so that a difference is read easily.
    text = json.dumps(record, indent=1)
    target.write_text(re.sub(r"\[\s+(\"[^\]]*?\")\s+\]", lambda m: f"[{' '.join(m[1].split())}]", text) + "\n")


if __name__ == "__main__":
    main()
