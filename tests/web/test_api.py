"""The JSON API returns what the library computes, and rejects everything else in one line."""

import base64
import gzip
import io
import json

import polars as pl
import pytest

import macrof1
from macrof1.scoring.system_scores import score_conventions

from .conftest import TWO_SYSTEMS, germeval

TABLE_3 = {"labels": ["x", "y"], "matrix": [[100, 10_000], [0, 100]], "rows": "predicted"}


def test_scores_are_those_of_the_library(server):
    status, answer, _ = server.ask("/api/score", TABLE_3)
    expected = macrof1.score_matrix(TABLE_3["matrix"], rows="predicted", labels=["x", "y"])
    assert status == 200
    # What chance makes of the gap is told by the cells, which take NumPy: reports have it.
    apart = {"per_class", "noise_floor", "notes"}
    assert {key: answer[key] for key in expected.to_dict() if key not in apart} == {
        key: value for key, value in expected.to_dict().items() if key not in apart
    }
    assert [record["precision"] for record in answer["per_class"]] == [
        record.precision for record in expected.per_class
    ]
    assert [record["leaning"] for record in answer["per_class"]] == ["over-recalled", "over-precise"]
    assert sum(pair["contribution"] for pair in answer["pairs"]) == pytest.approx(expected.gap, rel=1e-12)
    assert answer["range"]["low"] <= answer["averaged_f1"] <= answer["range"]["high"] == answer["f1_of_averages"]
    known = score_conventions(expected.counts).to_dict()
    others = server.ask("/api/conventions", TABLE_3)[1]
    assert others == {"groups": known["groups"], "notes": known["notes"]}


def test_rows_that_are_gold_swap_precision_and_recall(server):
    _, predicted, _ = server.ask("/api/score", TABLE_3)
    _, gold, _ = server.ask("/api/score", {**TABLE_3, "rows": "gold"})
    assert predicted["averaged_f1"] == gold["averaged_f1"]
    for one, other in zip(predicted["per_class"], gold["per_class"], strict=True):
        assert (one["precision"], one["recall"]) == (other["recall"], other["precision"])


@pytest.mark.parametrize(("text", "n_rows"), [("gold,pred,n\na,a,7\nb,b,9\na,b,3\n", 19),
                                              ("text,gold,pred,n\nx,a,a,7\ny,b,b,9\nz,a,b,3\n", 3)])  # fmt: skip
def test_a_number_is_a_count_where_the_command_line_takes_it_for_one(server, text, n_rows):
    assert server.ask("/api/open", {"files": [{"text": text}]})[1]["read_as"] == f"{n_rows} predictions, 2 classes"


def test_five_hundred_classes_are_scored_and_one_more_is_refused(server):
    def body(n):
        return {"labels": [str(x) for x in range(n)], "matrix": [[1] * n] * n}

    assert server.ask("/api/score", body(500))[0] == 200
    status, answer, _ = server.ask("/api/score", body(501))
    assert (status, answer) == (422, {"error": "501 classes: expected at most 500; the command mf1 takes more"})


BAD = [
    ({"labels": ["x", "y"], "matrix": [[1, 2], [3]]}, "expected a square matrix"),
    ({"labels": ["x", "x"], "matrix": [[1, 2], [3, 4]]}, "twice"),
    ({"labels": ["x", "y"], "matrix": [[0, 0], [0, 0]]}, "only zeros"),
    *(({"labels": ["x"], "matrix": [[cell]]}, "expected") for cell in (2**70, 1e308)),
    ([], "the request is a list: expected an object with labels, matrix"),
]


@pytest.mark.parametrize(("body", "said"), BAD)
def test_bad_matrices_are_refused_in_one_line(server, body, said):
    status, answer, _ = server.ask("/api/score", body)
    assert status in (400, 422)
    assert said in answer["error"]
    assert "\n" not in answer["error"]
    assert "Traceback" not in answer["error"]


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"labels": ["\\ud800"], "matrix": [[1]]}', b"NaN"]
)
def test_bodies_that_are_no_json_are_refused(server, raw):
    status, answer, _ = server.ask("/api/score", raw=raw)
    assert 400 <= status < 500
    assert list(answer) == ["error"]


def test_presets(server):
    _, listed, _ = server.ask("/api/presets")
    names = [one["name"] for one in listed["presets"]]
    assert names == ["moderation", "table-1", "table-2", "table-3", "table-4", "germeval", "worst-case", "random"]
    for name in names:
        _, given, _ = server.ask(f"/api/presets/{name}")
        given.pop("rival", None)
        assert server.ask("/api/score", given)[0] == 200
    assert server.ask("/api/presets/table-3")[1]["matrix"] == TABLE_3["matrix"]
    assert server.ask("/api/presets/worst-case?z=3&classes=3")[1]["matrix"] == [[1, 1000, 1000], [0, 1, 0], [0, 0, 1]]
    # A random classifier's F1 of averages is 1/n whatever the skew.
    _, random, _ = server.ask("/api/presets/random?skew=0.9&classes=4")
    assert server.ask("/api/score", random)[1]["f1_of_averages"] == pytest.approx(0.25, abs=1e-12)
    for path in ("nothing", "own", "worst-case?z=99", "worst-case?classes=1", "germeval?choice=nobody"):
        assert server.ask(f"/api/presets/{path}")[0] in (400, 422)


def test_the_shipped_tables_are_those_of_the_examples(server, root):
    for name, file in (("germeval-counts", "counts.csv"), ("germeval-leaderboard", "leaderboard.csv")):
        assert server.ask(f"/api/examples/{name}")[1]["text"] == germeval(root, file)


def test_the_gallery_has_every_published_report_with_its_verdict_and_a_link(server, root):
    cases = server.ask("/api/gallery")[1]["cases"]
    census = (root / "examples" / "census" / "census.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(cases) == 51 + len(census)
    by_name = {case["name"]: case for case in cases}
    for line in census:
        report = json.loads(line)
        assert by_name[report["name"]]["verdict"] == report["verdict"]
        assert by_name[report["name"]]["link"].startswith("#/audit?")


READ = [
    ("gold,pred\na,a\nb,a\nb,b\n", "x.csv", ["a", "b"], [[1, 1], [0, 1]]),
    ("\tcat\tdog\ncat\t1\t2\ndog\t3\t4\n", "pasted text", ["cat", "dog"], [[1, 2], [3, 4]]),
    ("1,2\n3,4\n", "x.csv", ["0", "1"], [[1, 2], [3, 4]]),
    ('{"gold": "a", "pred": "b"}\n{"gold": "b", "pred": "b"}\n', "x.jsonl", ["a", "b"], [[0, 0], [1, 1]]),
]


@pytest.mark.parametrize(("text", "name", "labels", "matrix"), READ)
def test_tables_are_read(server, text, name, labels, matrix):
    status, answer, _ = server.ask("/api/open", {"text": text, "name": name})
    assert (status, answer["labels"], answer["matrix"]) == (200, labels, matrix)


BROKEN = [
    ("", "empty"),
    ("PAR1\0\0", "whole Parquet"),
    ("PK\3\4\0", "neither UTF-8 text nor Parquet nor Arrow"),
    ("1,2\n1,x\n2,3\n", "line 2"),
    ("gold,pred\na,a\nb\n", "line 3"),
    ("gold,pred\n", "expected"),
    ("{", "cannot tell what my table.csv is"),
]


@pytest.mark.parametrize(("text", "said"), BROKEN)
def test_broken_tables_are_refused_by_the_name_that_the_user_knows(server, text, said):
    for path in ("/api/open", "/api/compare", "/api/audit/table"):
        status, answer, _ = server.ask(path, {"text": text, "name": "../../etc/my table.csv"})
        assert status == 400, (path, answer)
        assert "macrof1-" not in answer["error"]
        assert "dropped" not in answer["error"]
        if path == "/api/open":
            assert said in answer["error"]


@pytest.mark.parametrize("name", ["/etc/passwd", "..\\..\\boot.ini", "\u202egnp.csv", "a\nb.csv", "", "x" * 200])
def test_no_name_of_a_file_leads_anywhere(server, name):
    status, answer, _ = server.ask("/api/open", {"text": "1,2\n3,4\n", "name": name})
    assert (status, answer["matrix"]) == (200, [[1, 2], [3, 4]])


def test_comparisons_are_those_of_the_library(server):
    status, answer, _ = server.ask("/api/compare", {"text": TWO_SYSTEMS, "name": "x.csv"})
    rows = [line.split(",") for line in TWO_SYSTEMS.splitlines()[1:]]
    gold, one, two = (list(column) for column in zip(*rows, strict=True))
    expected = macrof1.compare(gold, {"one": one, "two": two})
    assert status == 200
    assert answer["systems"] == json.loads(json.dumps(expected.to_dict()))["systems"]
    assert answer["comparisons"] == json.loads(json.dumps(expected.to_dict()))["comparisons"]
    assert r"\begin{table}" in answer["latex"]


def test_too_many_systems_are_refused(server):
    for text in (
        "gold," + ",".join(f"s{x}" for x in range(101)) + "\n" + ",".join("a" * 102) + "\n",
        "run,a_precision,a_recall,b_precision,b_recall\n" + "".join(f"r{x},1,1,1,1\n" for x in range(101)),
    ):
        status, answer, _ = server.ask("/api/compare", {"text": text})
        assert (status, answer["error"]) == (400, "101 systems: expected at most 100; mf1 compare takes more")


def test_audits_are_those_of_the_library(server):
    given = {"precision": "0.2937", "recall": "0.2283", "f1": "0.2095"}
    status, answer, _ = server.ask("/api/audit", given)
    assert status == 200
    expected = {"kind": "figures", **json.loads(json.dumps(macrof1.audit(**given).to_dict()))}
    shown = {
        "averaged_f1": "0.000000 to 0.256954",
        "f1_of_averages": "0.256852 to 0.256954",
        "published": "0.209450 to 0.209550",
    }
    assert answer == {**expected, "published_interval": [0.20945, 0.20955], "shown": shown}
    cut = server.ask("/api/audit", {**given, "rounding": "truncate"})[1]
    assert cut["published_interval"] == [0.2095, 0.2096]
    classes = [
        {"label": "OFFENSE", "precision": "71.87", "recall": "65.47", "f1": "68.52", "support": "1202"},
        {"label": "OTHER", "precision": "82.97", "recall": "86.78", "f1": "84.83", "support": "2330"},
    ]
    _, answer, _ = server.ask("/api/audit", {"f1": "76.77", "percent": True, "per_class": classes})
    assert answer["verdict"] == "f1_of_averages"
    assert [record["tp"] for record in answer["counts"]] == [787, 2022]
    for bad in ({"f1": "many"}, {"precision": "0.5", "per_class": [{"label": ""}]}, {"per_class": classes * 2}):
        assert server.ask("/api/audit", bad)[0] == 400


@pytest.mark.parametrize("typed", [{"f1": "51.3"}, {"precision": "29.37", "recall": "22.83", "f1": "20.95"}])
def test_figures_above_one_are_percentages(server, typed):
    status, answer, _ = server.ask("/api/audit", typed)
    assert (status, answer["percent"]) == (200, True)
    assert answer["averaged_f1"][1] <= 1


def test_a_leaderboard_is_audited_row_by_row(server):
    _, given, _ = server.ask("/api/examples/germeval-leaderboard")
    body = {"text": given["text"], "name": given["name"], **given["options"]}
    status, answer, _ = server.ask("/api/audit/table", body)
    assert status == 200
    assert len(answer["rows"]) == 51
    assert {finding["name"] for finding in answer["summary"]["findings"]} == {
        "InriaFBK/coarse_2",
        "RuG/coarse_2",
        "FoSIL/coarse_3",
    }
    long = given["text"].splitlines()[0] + "\n" + (given["text"].splitlines()[1] + "\n") * 1002
    assert "expected at most 1,000" in server.ask("/api/audit/table", {"text": long})[1]["error"]


def packed(frame: pl.DataFrame, how: str) -> bytes:
    """Write a table as a binary file."""
    written = io.BytesIO()
    if how == "csv.gz":
        return gzip.compress(frame.write_csv().encode("utf-8"))
    (frame.write_parquet if how == "parquet" else frame.write_ipc)(written)
    return written.getvalue()


def sent(content: bytes, name: str) -> dict[str, str]:
    return {"data": base64.b64encode(content).decode("ascii"), "name": name}


PACKED = ("parquet", "arrow", "csv.gz")


@pytest.mark.parametrize("how", PACKED)
def test_packed_tables_are_read_as_their_text_is(server, root, how):
    predictions = pl.DataFrame({"gold": ["a", "b", "b"], "pred": ["a", "a", "b"], "two": ["b", "a", "b"]})
    _, answer, _ = server.ask("/api/open", sent(packed(predictions, how), f"preds.{how}"))
    assert (answer["labels"], answer["matrix"]) == (["a", "b"], [[1, 1], [0, 1]])
    for path, table in (
        ("/api/compare", predictions),
        ("/api/audit/table", pl.read_csv(root / "examples/germeval2018/leaderboard.csv", infer_schema=False).head(3)),
    ):
        _, expected, _ = server.ask(path, {"text": table.write_csv(), "name": "x.csv"})
        status, answer, _ = server.ask(path, sent(packed(table, how), f"x.{how}"))
        assert (status, answer) == (200, expected)


def test_packed_tables_keep_the_limits(server):
    long = gzip.compress(b"gold,pred\n" + b"a,b\n" * 2_200_000)
    wide = pl.DataFrame({"gold": ["a"], **{f"s{x}": ["a"] for x in range(101)}})
    many = packed(
        pl.DataFrame({"gold": ["a"]}).select(pl.repeat("a", 2_000_001).alias("gold"), pred=pl.lit("a")), "parquet"
    )
    for path, content, said in (
        ("/api/open", long, "larger than 8 MiB"),
        ("/api/open", many, "has 2,000,001 rows: expected at most 2,000,000"),
        ("/api/open", gzip.compress(b"gold,pred\na,b\n")[:-9], "cannot be unpacked"),
        ("/api/open", b"\x1f\x8bnothing", "cannot be unpacked"),  # a header has 10 bytes
        ("/api/open", b"\x1f\x8bnothing at all", "cannot be unpacked"),
        ("/api/open", packed(wide, "parquet")[:-20], "expected a whole Parquet"),
        ("/api/compare", packed(wide, "arrow"), "101 systems: expected at most 100"),
    ):
        status, answer, _ = server.ask(path, sent(content, "my.file"))
        assert (status, said in answer["error"]) == (400, True), answer
        assert "macrof1-" not in answer["error"]
    status, answer, _ = server.ask("/api/open", {"data": "no base64!", "name": "x"})
    assert (status, "not base64" in answer["error"]) == (400, True)


def test_counts_that_a_browser_would_round_are_refused(server):
    assert server.ask("/api/open", {"text": f"{2**53 - 1},0\n0,1\n"})[1]["matrix"][0][0] == 2**53 - 1
    assert server.ask("/api/score", {"labels": ["a"], "matrix": [[2.0**53]]})[0] == 422
    status, answer, _ = server.ask("/api/open", {"text": f"{2**60},0\n0,1\n"})
    assert (status, "9,007,199,254,740,991" in answer["error"]) == (400, True)


def test_the_page_has_the_safeguards_of_the_command_line(server):
    again = "gold,pred\na,a\nb,a\n" * 2
    status, answer, _ = server.ask("/api/open", {"text": again})
    assert (status, "names a column 'gold', which is also a label" in answer["error"]) == (400, True)


def test_the_page_s_fields_are_named_where_commands_have_options(server, root):
    _, answer, _ = server.ask("/api/audit", {"precision": "29.37", "percent": False})
    assert answer["error"].endswith("percentages need “percentages” under “Figures are”")
    _, answer, _ = server.ask("/api/compare", {"text": germeval(root, "counts.csv"), "name": "counts.csv"})
    assert "expected “Column with the system's name”: run (and “Column with counts or weights” where" in answer["error"]
    figures = (("a", "0.53", "0.16"), ("b", "0.49", "0.36"), ("c", "0.85", "0.20"))
    classes = [{"label": name, "precision": precision, "recall": recall} for name, precision, recall in figures]
    _, answer, _ = server.ask("/api/audit", {"f1": "0.34", "n_classes": 3, "per_class": classes})
    assert answer["notes"][-1].endswith("averaged F1 and F1 of averages (“truncation” under “Cut by”).")
    assert all("--" not in note and "=" not in note for note in answer["notes"])
    published = {"text": germeval(root, "leaderboard.csv"), "name": "x.csv", "gold": "team"}
    names = "if the first line is data, add a line that names the columns"
    damaged = base64.b64encode(b"PAR1 and no more").decode("ascii")
    for path, given, said in (
        ("compare", published, "“Gold column”"),
        ("compare", {"text": "1,2\n3,4\n", "name": "x.csv"}, f"name one with “Gold column”; {names}"),
        ("compare", {"text": "x,y\na,b\n", "name": "x.csv"}, "“System columns”, a column of counts with “Column with "
         "counts or weights” or of weights with"),
        ("compare", {"text": "gold,y\na,b\n", "name": "x.csv", "gold": "z"}, f"it has 'gold', 'y'; {names}"),
        ("compare", {"text": "run,a,pred\nx,a,a\ny,b,a\n", "gold": "2", "by": "run"},
         f"expected a header; {names}; if"),
        ("compare", {"text": "gold,run\na,b\n", "name": "x.csv", "by": "run"}, "name one with the header “pred”"),
        ("compare", {"text": "gold,a,b\nx,x,x\ny,y,\n"}, "“leave out” under “Rows without a label” leaves"),
        ("compare", {"text": '{"gold": 1', "name": "x.jsonl"}, "x.jsonl"),
        ("open", {"data": damaged, "name": "x.parquet"}, "x.parquet cannot be read"),
    ):  # fmt: skip
        status, answer, _ = server.ask(f"/api/{path}", given)
        assert (status, said in answer["error"]) == (400, True), answer
        assert "--" not in answer["error"]
    missing = {"text": "gold,a,b\nx,x,y\ny,y,\ny,x,y\n", "name": "x.csv"}
    for way, rows in (("drop", 2), ("label", 3)):
        status, answer, _ = server.ask("/api/compare", {**missing, "missing": way})
        assert (status, answer["n_rows"]) == (200, rows)
    counted = {"text": "run,gold,pred,w\nx,a,a,2\nx,b,a,1\ny,a,a,1\ny,b,b,2\n", "by": "run", "weight": "w"}
    _, answer, _ = server.ask("/api/compare", {**counted, "name": "x.csv"})
    assert [note for note in answer["notes"] if "Only counts are known" in note]
    assert not [note for note in answer["notes"] if "=" in note or "--" in note]
    halved = {**counted, "text": counted["text"].replace("a,a,2", "a,a,0.5"), "name": "x.csv"}
    status, answer, _ = server.ask("/api/compare", halved)
    assert (status, "--" in answer["error"], "expected a whole number" in answer["error"]) == (400, False, True)
    _, answer, _ = server.ask("/api/audit/table", {"text": germeval(root, "leaderboard.csv"), "name": "x.csv"})
    assert answer["summary"]["sentences"][0].startswith("51 rows: F1 of averages 4")
    assert set(answer["summary"]["verdicts"]) == {"averaged_f1", "f1_of_averages", "either", "neither"}


def test_cells_in_long_form_are_a_matrix_and_json_lines_are_known_without_an_ending(server):
    long = "gold,pred,count\ncat,cat,5\ncat,dog,1\ndog,cat,2\ndog,dog,7\n"
    _, answer, _ = server.ask("/api/open", {"text": long})
    assert answer["matrix"] == [[5, 2], [1, 7]]
    # Rows that repeat are predictions; what is beside them says something else.
    _, answer, _ = server.ask("/api/open", {"text": long + "dog,dog,3\n"})
    assert answer["matrix"] == [[1, 1], [1, 2]]
    _, answer, _ = server.ask("/api/open", {"text": '{"gold": "a", "pred": "b"}\n{"gold": "a", "pred": "a"}\n'})
    assert (answer["labels"], answer["matrix"]) == (["a", "b"], [[1, 0], [1, 0]])
    several = {"text": "gold,one,two\na,a,b\nb,b,b\n", "gold": "gold", "pred": "two"}
    assert server.ask("/api/open", several)[1]["matrix"] == [[0, 0], [1, 1]]


def test_gzip_files_that_follow_each_other_are_one(server):
    packed = gzip.compress(b"gold,pred\na,a\n") + gzip.compress(b"b,a\nb,b\n")
    asked = {"data": base64.b64encode(packed).decode(), "name": "two.csv.gz"}
    status, answer, _ = server.ask("/api/open", asked)
    assert (status, answer["matrix"], answer["labels"]) == (200, [[1, 1], [0, 1]], ["a", "b"])
    broken = {"data": base64.b64encode(packed + b"more").decode(), "name": "two.csv.gz"}
    status, answer, _ = server.ask("/api/open", broken)
    assert (status, "cannot be unpacked" in answer["error"]) == (400, True)
