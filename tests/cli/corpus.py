"""Small hostile and sloppy files, each with the expected outcome: the right number and its note, or a one-line error.

`Case.says` is what the file holds; `test_corpus.py` runs every case.
"""

import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path

LOGS = Path(__file__).parents[1] / "reading" / "logs"


@dataclass(frozen=True)
class Case:
    """A file, the options it is scored with, and what must come out."""

    says: str
    content: str | bytes
    options: tuple[str, ...] = ()
    averaged_f1: float | None = None
    notes: tuple[str, ...] = ()
    error: str | None = None
    name: str = "p.csv"
    more: dict[str, str] = field(default_factory=dict)


def csv(*rows: str, header: str = "gold,pred") -> str:
    return "\n".join([header, *rows]) + "\n"


def choice(label: str) -> dict[str, list[dict[str, dict[str, list[str]]]]]:
    return {"result": [{"value": {"choices": [label]}}]}


ANSWERS = csv("a,a", "b,b", "a,Sorry", "b,The answer is a", "a,a", "b,b")
YES = csv("yes,Yes", "no,no", "yes,yes", "no,no")
TAGS = "EU B-ORG B-ORG\nrejects O O\nGerman B-MISC O\n\nPeter B-PER B-PER\nBlackburn I-PER I-PER\n"
LISTS = json.dumps([{"tags": ["B-X", "O"], "pred_tags": ["B-X", "O"]}, {"tags": ["B-Y"], "pred_tags": ["O"]}])
SPANS = '{"gold": [[0, 2, "X"]], "pred": [[0, 2, "X"]]}\n{"gold": [[0, 1, "Y"]], "pred": []}\n'
NESTED = '{"doc": {"label": "a"}, "out": ["a"]}\n{"doc": {"label": "b"}, "out": ["a"]}\n'
MATRIX = ",a,b\na,5,1\nb,2,7\n"
REPORTED = 0.7963800904977375  # averaged F1 of MATRIX, by hand: (10/13 + 14/17) / 2

REPEATED = [("x y", "a", "a"), ("u v", "b", "a"), ("w z", "b", "b"), ("x y", "a", "a")]
SIDES = ("annotations", "predictions")
CHOICE = "0.result.0.value.choices.0"
PAIRS = ("aa", "ba", "bb")
MATCHES = [{"expected": g, "picked": None, "sampled": p} for g, p in PAIRS]
OPENAI_EVALS = [
    {"spec": {"eval_name": "x"}}, {"final_report": {"accuracy": 0.67}},
    *({"sample_id": at, "type": "match", "data": data} for at, data in enumerate(MATCHES)),
]  # fmt: skip

CASES: dict[str, Case] = {
    # Answers of a language model
    "answers": Case("answers that are no class: both scores, with and without them", ANSWERS, (), 0.4,
        ("never_in_gold",)),
    "missing, as text": Case("missing labels written as `nan` or `null`", csv("a,a", "nan,nan", "b,b", "nan,b"), (),
        (1 + 2 / 3 + 2 / 3) / 3, ("missing_as_text",)),
    "Turkish": Case("the Turkish `İ` and `i`", csv("İzmir,izmir", "b,b", "İzmir,İzmir"), (), (0 + 2 / 3 + 1) / 3,
        ("nearly_equal",)),
    "many answers": Case("many different answers: said before the scores",
        csv("a,a", "b,b", "a,w", "b,x", "a,y", "b,z"), (), 1 / 6, ("many_never_in_gold",)),
    "answers, listed": Case("answers outside `--labels`: wrong, with their share", ANSWERS, ("--labels", "a,b"), 0.8,
        ("labels_outside",)),
    "answers, dropped": Case("`--outside drop`: left out, and said to flatter", ANSWERS,
        ("--labels", "a,b", "--outside", "drop"), 1.0, ("answers_dropped",)),
    "answers, a class": Case("`--outside class`: one class of their own", ANSWERS,
        ("--labels", "a,b", "--outside", "class"), 1.6 / 3),
    "answers, refused": Case("`--outside error`: rejected", ANSWERS, ("--labels", "a,b", "--outside", "error"),
        error="2 predicted labels outside the class set"),
    "no usable answer": Case("every answer outside the classes", csv("a,lol", "b,lol"), ("--labels", "a,b"), 0.0,
        ("labels_outside",)),
    # Labels that are nearly equal
    "case": Case("`Yes` and `yes`", YES, (), 5 / 9, ("never_in_gold", "nearly_equal")),
    "case, normalised": Case("`--normalize case`", YES, ("--normalize", "case"), 1.0),
    "space at the end": Case("`yes` with a space behind it", csv("yes,yes ", "no,no"), (), 1 / 3, ("nearly_equal",)),
    "spaces inside": Case("two spaces inside a label", csv("a b,a  b", "no,no"), (), 1 / 3, ("nearly_equal",)),
    "no-break space": Case("a no-break space", csv("a b,a\u00a0b", "no,no"), (), 1 / 3, ("nearly_equal",)),
    "no-break space, normalised": Case("`--normalize unicode,space`", csv("a b,a\u00a0b", "no,no"),
        ("--normalize", "unicode,space"), 1.0),
    "decomposed": Case("`é` in two Unicode forms", csv("café,cafe\u0301", "no,no"), (), 1 / 3, ("nearly_equal",)),
    "zero-width": Case("an invisible character", csv("yes,yes\u200b", "no,no"), (), 1 / 3, ("nearly_equal",)),
    "full width": Case("full-width digits", csv("1,\uff11", "2,2"), (), 1 / 3, ("nearly_equal",)),
    "final period": Case("`yes.`", csv("yes,yes.", "no,no"), (), 1 / 3, ("nearly_equal",)),
    "quotes": Case("a label in quotes of its own", csv("yes,'yes'", "no,no"), (), 1 / 3, ("nearly_equal",)),
    "quotes, normalised": Case("`--normalize punctuation`", csv("yes,'yes'", "no,no."), ("--normalize", "punctuation"),
        1.0),
    "brackets": Case("`A)` and `A`", csv("A,A)", "B,B"), (), 1 / 3, ("nearly_equal",)),
    "final mark": Case("`yes!`", csv("yes,yes!", "no,no"), (), 1 / 3, ("nearly_equal",)),
    "Markdown": Case("`**B**`", csv("A,A", "B,**B**"), (), 1 / 3, ("nearly_equal",)),
    "joiner": Case("a joiner, a soft hyphen, a mark of direction", csv("yes,ye\u00ads\u200c\u200f", "no,no"), (), 1 / 3,
        ("nearly_equal",)),
    "other names": Case("`0` and `LABEL_0`", csv("0,LABEL_0", "1,LABEL_1"), error="a model without class names"),
    "booleans": Case("`1` and `True`", csv("0,False", "1,True"), error="the gold labels are numbers"),
    "nothing in common": Case("other labels, few rows", csv("a,x", "b,y"), (), 0.0, ("no_common_label",)),
    # Numbers
    "probabilities": Case("probabilities", csv("0,0.12", "1,0.93", "1,0.88"), (), 0.0, ("probabilities",)),
    "logits": Case("logits", csv("0,-2.5", "1,3.25", "1,1.75"), (), 0.0, ("probabilities",)),
    "percent": Case("percentages", csv("0,12%", "1,93%", "1,88.5%"), (), 0.0, ("probabilities",)),
    "decimal comma": Case("a decimal comma", csv("0;0,12", "1;0,93", "1;0,88", header="gold;pred"), (), 0.0,
        ("probabilities",)),
    "one-hot": Case("one-hot codes against names", csv("0;[1, 0]", "1;[0, 1]", header="gold;pred"), (), 0.0,
        ("vectors",)),
    "probability lists": Case("the probabilities of all classes",
        csv("0;[0.9, 0.1]", "1;[0.2, 0.8]", header="gold;pred"), (), 0.0, ("vectors",)),
    "decimals": Case("`1` and `1.0` in most rows", csv("0,0.0", "1,1.0", "0,0.0", "1,1.0", "2,2"), (), 1 / 5,
        ("decimals",)),
    "decimals throughout": Case("`1` and `1.0` in all rows", csv("0,0.0", "1,1.0"), error="--normalize number"),
    "decimals, normalised": Case("`--normalize number`", csv("0,0.0", "1,1.0"), ("--normalize", "number"), 1.0),
    "ignored": Case("`-100`, which marks what is not scored", csv("0,0", "1,1", "-100,1"), (), (1 + 2 / 3) / 3,
        ("ignored_label",)),
    "leading zeros": Case("`1` and `01` stay two labels in text", csv("1,01", "2,2"), (), 1 / 3,
        ("never_in_gold", "nearly_equal")),
    # Columns
    "references": Case("`references,predictions`", csv("a,a", "b,a", header="references,predictions"), (), 1 / 3),
    "yhat": Case("`y,yhat`", csv("a,a", "b,a", header="y,yhat"), (), 1 / 3),
    "ground truth": Case("`ground_truth,answer`", csv("a,a", "b,a", header="ground_truth,answer"), (), 1 / 3),
    "expected": Case("`expected,output`", csv("a,a", "b,a", header="expected,output"), (), 1 / 3),
    "loud header": Case("`GOLD, Predicted Label`", csv("a,a", "b,a", header="GOLD,Predicted Label"), (), 1 / 3),
    "swapped names": Case("`--gold pred --pred gold`", csv("a,a", "b,a"), ("--gold", "pred", "--pred", "gold"), 1 / 3,
        ("swapped",)),
    "swapped answers": Case("answers of a model in the gold column",
        csv(*["a,a", "b,b"] * 5, "Sorry,a", "Hm,b", "What?,a"), (), (5 / 6 + 10 / 11) / 5, ("swapped",)),
    "ids": Case("an id column taken for gold", csv(*(f"{i},a,a" for i in range(30)), header="id,label,pred"),
        ("--gold", "id"), 0.0, ("ids",)),
    "two gold columns": Case("two columns that could be gold", csv("a,a,a", header="gold,y_true,pred"),
        error="2 columns could be the gold"),
    "no gold column": Case("no column with a usual name for gold", csv("a,a", header="x,pred"),
        error="no column has a usual name for gold"),
    "column twice": Case("a column name that occurs twice", csv("a,a,a", header="gold,gold,pred"), error="gold"),
    "first line is data": Case("no header", "a,a\nb,a\n", ("--gold", "1", "--pred", "2"), error="--no-header"),
    "without header": Case("`--no-header`", "a,a\nb,a\n", ("--no-header", "--gold", "1", "--pred", "2"), 1 / 3),
    # Shapes of files
    "pipes": Case("pipes, with spaces around them", "| gold | pred |\n|---|---|\n| a | a |\n| b | a |\n", (), 1 / 3),
    "semicolons": Case("semicolons", csv("a;a", "b;a", header="gold;pred"), (), 1 / 3),
    "tabs": Case("tabs in a .csv", csv("a\ta", "b\ta", header="gold\tpred"), (), 1 / 3),
    "byte order mark": Case("a byte order mark", "\ufeff" + csv("a,a", "b,a"), (), 1 / 3),
    "Windows lines": Case("Windows line ends", csv("a,a", "b,a").replace("\n", "\r\n"), (), 1 / 3),
    "old Mac lines": Case("line ends of old Macs", csv("a,a", "b,a").replace("\n", "\r"), error="line"),
    "UTF-16": Case("UTF-16", csv("ä,ä").encode("utf-16"), error="UTF"),
    "Latin-1": Case("Latin-1", csv("ä,ä").encode("latin-1"), error="UTF-8"),
    "ragged": Case("a line with a field too many", csv("a,a", "b,a,c"), error="line 3"),
    "short": Case("a line with a field too few", csv("a,a", "b"), error="line 3"),
    "open quote": Case("a quote that does not end", csv('a,"a', "b,a"), error="quote"),
    "quoted line break": Case("a line break in a quoted text", 'text,gold,pred\n"x\ny",a,a\nz,b,a\n', (), 1 / 3),
    "empty": Case("an empty file", "", error="is empty"),
    "header alone": Case("a header and no rows", "gold,pred\n", error="is empty"),
    "cut gzip": Case("a compressed file that was cut off", gzip.compress(b"gold,pred\na,a\n" * 999)[:60],
        name="p.csv.gz", error="compressed data"),
    "gzip in disguise": Case("gzip without its ending", gzip.compress(csv("a,a", "b,a").encode()), (), 1 / 3),
    # Missing labels
    "empty field": Case("an empty field", csv("a,a", "b,"), error="1 of 2 rows lacks"),
    "empty field, dropped": Case("`--missing drop`", csv("a,a", "b,b", "b,"), ("--missing", "drop"), 1.0,
        ("rows_dropped",)),
    "NA": Case("the text `NA` is a label", csv("a,a", "b,NA"), (), 1 / 3, ("never_in_gold",)),
    "null": Case("null in JSON", '{"gold": "a", "pred": null}\n', name="p.jsonl", error="1 of 1 rows lacks"),
    # JSON and logs
    "nested": Case("`--gold doc.label --pred out.0`", NESTED, ("--gold", "doc.label", "--pred", "out.0"), 1 / 3,
        name="p.jsonl"),
    "array": Case("a JSON array", '[{"gold": 1, "pred": 1}, {"gold": 2, "pred": 1}]', (), 1 / 3, name="p.json"),
    "records": Case("`--records results.outputs`", '{"results": {"outputs": [{"gold": 1, "pred": 1}]}, "x": 1}',
        ("--records", "results.outputs"), 1.0, name="p.json"),
    "object": Case("an object that does not say where its records are", '{"a": {"b": 1}}', name="p.json",
        error="--records"),
    "columns in JSON": Case("`{references: […], predictions: […]}`",
        '{"references": ["a", "b"], "predictions": ["a", "a"]}', (), 1 / 3, name="p.json"),
    "broken JSON": Case("JSON with a comma too many", '[{"gold": 1},]', name="p.json", error="not valid JSON"),
    "lines called .json": Case("JSON lines called .json", '{"gold": 1, "pred": 1}\n{"gold": 2, "pred": 1}\n', (), 1 / 3,
        name="p.json"),
    "mixed types": Case('1 and "1"', '{"gold": 1, "pred": "1"}\n', name="p.jsonl", error="no label could match"),
    "lm-evaluation-harness": Case("samples of lm-evaluation-harness",
        (LOGS / "samples_sentiment_mc.jsonl").read_bytes(), (), (2 / 7 + 0 + 1 / 3) / 3, name="samples.jsonl"),
    "Inspect": Case("an Inspect log (.eval)", (LOGS / "inspect.eval").read_bytes(), (), (2 / 3 + 0.8) / 4,
        ("never_in_gold",), name="run.eval"),
    "Inspect as JSON": Case("an Inspect log (.json)", (LOGS / "inspect.json").read_bytes(), ("--classes", "gold"),
        (2 / 3 + 0.8) / 3, name="run.json"),
    "promptfoo": Case("promptfoo results", (LOGS / "promptfoo.json").read_bytes(),
        ("--labels", "negative,neutral,positive"), (2 / 3 + 0.8) / 3, ("labels_outside",), name="out.json"),
    # Entities
    "bare tags": Case("tags without types", csv("B,B", "I,O", "O,O", "O,B"), (), (2 / 3 + 0 + 1 / 2) / 3, ("tags",)),
    "BMES": Case("`--spans`: M- for inside, as in BMES", "a B-X B-X\nb M-X M-X\nc E-X E-X\nd S-Y O\n",
        ("--spans", "--scheme", "iobes", "--mode", "strict"), 0.5, name="p.conll"),
    "tags": Case("tags scored as labels", csv("O,O", "B-PER,B-PER", "I-PER,O"), (), (0.0 + 1 + 2 / 3) / 3, ("tags",)),
    "lower-case tags": Case("tags in small letters", csv("o,o", "b-per,b-per", "i-per,o"), (), (0.0 + 1 + 2 / 3) / 3,
        ("tags",)),
    "B tags": Case("tags with B- alone", csv("O,O", "B-PER,B-PER", "B-LOC,O"), (), (2 / 3 + 1 + 0) / 3, ("tags",)),
    "IO tags": Case("tags with I- alone", csv("O,O", "I-PER,I-PER", "I-LOC,O"), (), (0.0 + 1 + 2 / 3) / 3, ("tags",)),
    "CoNLL": Case("`--spans`: tokens with two columns of tags", TAGS, ("--spans",), 2 / 3, name="dev.conll"),
    "malformed tag": Case("a tag that is none", TAGS.replace("B-MISC", "MISC"), ("--spans",), name="dev.conll",
        error="line 3: 'MISC' is not a tag"),
    "I without B": Case("I- without B-", TAGS.replace("B-PER B-PER", "B-PER O"), ("--spans",), 1 / 3,
        ("malformed_spans",), name="dev.conll"),
    "two files": Case("gold and predicted tags side by side", "a B-X\nb O\n", ("--spans",), 1.0, name="gold.conll",
        more={"pred.conll": "a B-X\nb O\n"}),
    "other tokens": Case("two files of different tokens", "a B-X\nb O\n", ("--spans",), name="gold.conll",
        more={"pred.conll": "a B-X\nc O\n"}, error="expected the same tokens"),
    "lists of tags": Case("lists of tags in JSON", LISTS, ("--spans",), 0.5, name="p.json"),
    "token table": Case("a table of tokens with a column of sentences",
        csv("1,EU,B-X,B-X", "2,Peter,B-Y,O", header="sentence_id,token,gold,pred"), ("--spans",), 0.5),
    "numbered tags": Case("tags as numbers, named by `--tag-names`",
        '{"ner_tags": [1, 2], "pred_tags": [1, 2]}\n{"ner_tags": [3], "pred_tags": [0]}\n',
        ("--spans", "--tag-names", "O,B-X,I-X,B-Y"), 0.5, name="p.jsonl"),
    "numbered tags, unnamed": Case("tags as numbers that nothing names", '{"ner_tags": [1, 2], "pred_tags": [1, 2]}\n',
        ("--spans",), name="p.jsonl", error="--tag-names names the tags"),
    "spans": Case("spans (start, end, type) in JSON lines", SPANS, ("--spans",), 0.5, name="p.jsonl"),
    # Confusion matrices
    "totals": Case("a matrix with totals", "gold\\pred,a,b,Total\na,5,1,6\nb,2,7,9\nTotal,7,8,15\n", ("--matrix",),
        REPORTED, ("totals",)),
    "other totals": Case("totals called `Gesamt` or `Σ`", "gold\\pred,a,b,Σ\na,5,1,6\nb,2,7,9\nΣ,7,8,15\n",
        ("--matrix",), REPORTED, ("totals",)),
    "wrong totals": Case("totals that do not add up", "gold\\pred,a,b,Sum\na,5,1,6\nb,2,7,9\nSum,7,8,16\n",
        ("--matrix",), (10 / 26 + 14 / 34 + 32 / 62) / 3, ("totals",)),
    "bare totals": Case("totals that nothing names", "5,1,6\n2,7,9\n7,8,15\n", ("--matrix", "--rows", "gold"),
        (5 / 13 + 7 / 17 + 1 / 2) / 3, ("totals",)),
    "totals first": Case("totals in the first row and column", "gold\\pred,Total,a,b\nTotal,15,7,8\na,6,5,1\nb,9,2,7\n",
        ("--matrix",), REPORTED, ("totals",)),
    "bare totals first": Case("totals first, that nothing names", "15,7,8\n6,5,1\n9,2,7\n",
        ("--matrix", "--rows", "gold"), (5 / 13 + 7 / 17 + 1 / 2) / 3, ("totals",)),
    "support": Case("a column of supports beside the classes", "gold\\pred,a,b,support\na,5,1,6\nb,2,7,9\n",
        ("--matrix",), REPORTED, ("totals",)),
    "unknown sums": Case("a column of sums under another name", "gold\\pred,a,b,ntot\na,5,1,6\nb,2,7,9\n",
        ("--matrix",), error="column 'ntot' holds the sums of the others"),
    "ratios": Case("a column of recalls beside the classes", "gold\\pred,a,b,Recall\na,5,1,0.83\nb,2,7,0.78\n",
        ("--matrix",), error="'Recall' is the name of a score"),
    "corner": Case("a corner `gold\\pred` decides what rows are", "gold\\pred" + MATRIX, ("--matrix",), REPORTED),
    "corner, contradicted": Case("`--rows` against the corner", "gold\\pred" + MATRIX,
        ("--matrix", "--rows", "predicted"), error="the corner"),
    "no corner": Case("a matrix that does not say what its rows are", MATRIX, ("--matrix",),
        error="does not say what its rows are"),
    "other order": Case("rows and columns in another order", ",b,a\na,1,5\nb,7,2\n", ("--matrix", "--rows", "gold"),
        REPORTED, ("matrix_order",)),
    "normalized": Case("a matrix of shares, whose rows sum to 1", "gold\\pred,a,b\na,0.9,0.1\nb,0.3,0.7\n",
        ("--matrix",), (9 / 11 + 7 / 9) / 2, ("normalized_matrix",)),
    "not square": Case("a matrix that is not square", "1,2,3\n4,5,6\n", ("--matrix", "--rows", "gold"), error="cells"),
    "negative": Case("a negative count", "1,-2\n3,4\n", ("--matrix", "--rows", "gold"), error="negative"),
    "counts beside labels": Case("cells of a matrix with their counts",
        csv("a,a,90", "a,b,10", "b,b,100", header="gold,pred,count"), (), 2 / 3, ("unused_counts",)),
    "counts of lines": Case("`--count count`", csv("a,a,90", "a,b,10", "b,b,100", header="gold,pred,count"),
        ("--count", "count"), (180 / 190 + 200 / 210) / 2),
    # Several labels, and rows that repeat
    "several labels": Case("`x;y` scored as a label", csv("x;y,x", "x,x", "y,y"), (), (0 + 2 / 3 + 1) / 3,
        ("several_labels",)),
    "list texts": Case("lists written as text", csv("['x'];['x']", "['x', 'y'];['x']", header="gold;pred"), (), 1 / 3,
        ("several_labels",)),
    "several labels, split": Case("`--multilabel ';'`", csv("x;y,x", "x,x", "y,y"), ("--multilabel", ";"),
        (1 + 2 / 3) / 2),
    "repeated ids": Case("ids that repeat", csv("1,a,a", "2,b,a", "3,b,b", "1,a,a", header="id,gold,pred"), (), 11 / 15,
        ("repeated_ids",)),
    "repeated rows": Case("whole rows that repeat",
        csv("x y,a,a", "u v,b,a", "w z,b,b", "x y,a,a", header="text,gold,pred"), (), 11 / 15, ("repeated_rows",)),
    "several labels, spelt twice": Case("`--multilabel ';'` with `y` and `Y`", csv("x;y,x", "y,Y", "x,x", "y,y"),
        ("--multilabel", ";"), (1 + 0.5 + 0) / 3, ("nearly_equal", "never_in_gold")),
    "several labels, normalised": Case("`--multilabel ';' --normalize case`", csv("x;y,x", "y,Y", "x,x", "y,y"),
        ("--multilabel", ";", "--normalize", "case"), (1 + 4 / 5) / 2),
    "rows without labels": Case("`--multilabel ';' --over rows` with rows that have no label on either side",
        csv("a;b,a", "b,b", ",", ","), ("--multilabel", ";", "--over", "rows"), (2 / 3 + 1) / 4, ("empty_units",)),
    "lists without quotes": Case("lists in brackets, without quotes",
        csv("[x];[x]", "[x, y];[x]", "[x];[x]", header="gold;pred"), (), 0.4, ("several_labels",)),
    "sets in braces": Case("sets in braces", csv("{x};{x}", "{x,y};{x}", "{x};{x}", header="gold;pred"), (), 0.4,
        ("several_labels",)),
    "repeated records": Case("records of JSON lines that repeat",
        "".join(json.dumps({"text": t, "gold": g, "pred": p}) + "\n" for t, g, p in REPEATED), (), 11 / 15,
        ("repeated_rows",), name="p.jsonl"),
    # Exports of other tools
    "answers as JSON": Case("answers that are JSON in text",
        csv("""a;"{""label"": ""a""}\"""", """b;"{""label"": ""b""}\"""", header="gold;pred"), (), 0.0,
        ("no_common_label",)),
    "answers as objects": Case("answers that are objects",
        '{"gold": "a", "pred": {"label": "a"}}\n{"gold": "b", "pred": {"label": "a"}}\n',
        error="name a field by its path: pred.label", name="p.jsonl"),
    "field of an object": Case("`--pred pred.label`",
        '{"gold": "a", "pred": {"label": "a"}}\n{"gold": "b", "pred": {"label": "a"}}\n', ("--pred", "pred.label"),
        1 / 3, name="p.jsonl"),
    "one-hot columns": Case("one column per class", csv("1,0,1,0", "0,1,1,0", header="gold_a,gold_b,pred_a,pred_b"),
        error="'gold_a', 'gold_b' look like one column per class"),
    "probability columns": Case("one column of probabilities per class",
        csv("a,0.9,0.1", "b,0.2,0.8", header="gold,p_a,p_b"), error="'p_a', 'p_b' look like one column per class"),
    "title": Case("a title above the header", "Results of May,,\n,,\nid,gold,pred\n1,a,a\n2,b,a\n",
        error="line 3 looks like the header: expected it in the first line; remove the 2 lines above it"),
    "separator line": Case("`sep=;`, as Excel writes it", "sep=;\ngold;pred\na;a\nb;a\n",
        error="remove the line above it"),
    "decimal commas": Case("decimal commas in another column",
        csv("a;a;0,93", "b;a;0,51", "b;b;0,7", header="gold;pred;score"), (), 2 / 3),
    "class numbers": Case("numbers of classes against their names", csv("0,negative", "1,positive", "1,negative"),
        error="the gold labels are numbers: map them"),
    "table as JSON": Case("a table as JSON: `columns` and `data`",
        json.dumps({"columns": ["id", "truth", "guess"], "data": [[1, "a", "a"], [2, "b", "a"], [3, "b", "b"]]}), (),
        2 / 3, name="p.json"),
    "pandas JSON": Case("an object per column, as pandas writes it",
        json.dumps({"gold": {"0": "a", "1": "b", "2": "b"}, "pred": {"0": "a", "1": "a", "2": "b"}}), (), 2 / 3,
        name="p.json"),
    "pandas records by index": Case("an object per row, by number",
        json.dumps({str(at): {"gold": g, "pred": p} for at, (g, p) in enumerate(["aa", "ba", "bb"])}), (), 2 / 3,
        name="p.json"),
    "DeepEval": Case("test cases of DeepEval",
        json.dumps({"testCases": [{"input": "?", "actualOutput": p, "expectedOutput": g} for g, p in PAIRS]}),
        (), 2 / 3, name="p.json"),
    "OpenAI Evals": Case("events of OpenAI Evals",
        "".join(json.dumps(record) + "\n" for record in OPENAI_EVALS),
        (), 2 / 3, name="p.jsonl"),
    "Label Studio": Case("choices of Label Studio by their paths, annotated and predicted",
        json.dumps([{side: [choice(label)] for side, label in zip(SIDES, pair, strict=True)} for pair in PAIRS]),
        ("--gold", f"annotations.{CHOICE}", "--pred", f"predictions.{CHOICE}"), 2 / 3, name="p.json"),
    "Inspect log, cancelled": Case("an Inspect log of a run that was cancelled",
        (LOGS / "inspect.json").read_text().replace('"status": "success"', '"status": "cancelled"'),
        ("--labels", "negative,neutral,positive"), 0.4888888888888889, ("incomplete_log",), name="run.json"),
    "promptfoo, repeated": Case("promptfoo results with three answers to each prompt, each scored as a row",
        (LOGS / "promptfoo_repeat.json").read_bytes(), (), (4 / 9 + 1 / 3 + 4 / 9) / 3, ("repeated_items",),
        name="results.json"),
    "sentences missing": Case("two files of different numbers of sentences", "EU B-ORG\n\nPeter B-PER\n", ("--spans",),
        error="has 2 sentences", name="gold.conll", more={"pred.conll": "EU B-ORG\n"}),
    "document marks": Case("`-DOCSTART-` between documents",
        "-DOCSTART- -X- O O\n\nEU NNP B-ORG B-ORG\n\n-DOCSTART- -X- O O\n\nPeter NNP B-PER O\n", ("--spans",), 0.5,
        name="dev.conll"),
    "two schemes": Case("gold tags in IOB2, predicted ones in IOBES",
        "EU B-ORG S-ORG\nNew B-LOC B-LOC\nYork I-LOC E-LOC\n\nPeter B-PER S-PER\nBlack I-PER O\n", ("--spans",), 2 / 3,
        name="dev.conll"),
}  # fmt: skip
