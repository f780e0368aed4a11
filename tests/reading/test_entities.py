"""CoNLL columns and CoNLL-U are read as sentences of tags; errors name the malformed line."""

import pytest

from macrof1.counting.spans import pair_spans
from macrof1.errors import ColumnError, InputError
from macrof1.reading.entities import pair_columns, parse_columns, read_tagged

CONLL = """-DOCSTART- -X- O O

EU B-ORG B-ORG
rejects O O
German B-MISC O

-DOCSTART- -X- O O

Peter B-PER B-PER
Blackburn I-PER I-PER
"""

CONLL_U = """# newdoc id = one
# sent_id = 1
1\tIn\t_\t_\t_\t_\t_\t_\t_\t_
2-3\tdem\t_\t_\t_\t_\t_\t_\t_\tNER=B-LOC
2\tBonn\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No|NER=B-LOC

# newdoc id = two
1\tAnna\t_\t_\t_\t_\t_\t_\t_\tNER=B-PER
1.1\tx\t_\t_\t_\t_\t_\t_\t_\t_
"""


def tagged(*texts, gold=None, pred=None):
    parsed = [parse_columns(text, f"{i}.conll") for i, text in enumerate(texts)]
    return pair_columns(parsed, gold, pred, by=["document"])


def test_the_last_two_columns_are_gold_and_predicted():
    found = tagged(CONLL)
    assert found.gold == [["B-ORG", "O", "B-MISC"], ["B-PER", "I-PER"]]
    assert found.pred == [["B-ORG", "O", "O"], ["B-PER", "I-PER"]]
    assert found.groups == [("1",), ("2",)]


def test_columns_by_position():
    found = tagged(CONLL, gold="3", pred="2")
    assert found.gold[0] == ["B-ORG", "O", "O"]


@pytest.mark.parametrize("text", [CONLL.replace(" ", "\t"), CONLL.replace("\n", "\r\n"), CONLL + "\n\n\n"])
def test_tabs_line_ends_and_blank_lines_do_not_matter(text):
    assert tagged(text).gold == tagged(CONLL).gold


def test_two_files_side_by_side():
    pred = CONLL.replace("German B-MISC O", "German B-MISC B-MISC")
    found = tagged(CONLL, pred, gold="2")
    assert found.gold[0] == ["B-ORG", "O", "B-MISC"]
    assert found.pred[0] == ["B-ORG", "O", "B-MISC"]


def test_conll_u_keeps_tags_in_misc():
    found = tagged(CONLL_U, CONLL_U.replace("B-PER", "B-LOC"))
    assert found.gold == [["O", "B-LOC"], ["B-PER"]]
    assert found.pred == [["O", "B-LOC"], ["B-LOC"]]
    assert found.groups == [("one",), ("two",)]


def test_conll_u_plus_names_its_columns():
    text = "# global.columns = ID FORM GOLD PRED\n1\ta\tB-X\tO\n2\tb\tI-X\tB-X\n"
    found = tagged(text, gold="GOLD", pred="PRED")
    assert (found.gold, found.pred) == ([["B-X", "I-X"]], [["O", "B-X"]])


def test_a_hash_sign_is_a_token():
    assert tagged("# O O\n1 B-X B-X\n").gold == [["O", "B-X"]]


@pytest.mark.parametrize(
    ("texts", "options", "part"),
    [
        (["a O O\nb B-X\n"], {}, "0.conll, line 2: 2 columns: expected 3"),
        (["a O\nb O\n"], {}, "0.conll has 2 columns: expected a token, its gold tag and its predicted tag"),
        (["a O O\n"], {"gold": "9"}, "no column '9'"),
        (["a O O\n"], {"gold": "2", "pred": "2"}, "the same column"),
        (["\n\n"], {}, "holds no tokens"),
        (["a O\nb O\n", "a O\nc O\n"], {}, "0.conll, line 2 has 'b' and 1.conll, line 2 has 'c'"),
        (["a O\nb O\n", "a O\n\nb O\n"], {}, "line 2 has 'b' and 1.conll, line 1 has no token"),
        (["a O\n", "a O\n\nb O\n"], {}, "0.conll has 1 sentence and 1.conll has 2"),
        (["O\nO\n", "O\n"], {}, "0.conll, line 2 has 'O' and 1.conll, line 1 has no token"),
        (["a O\n"] * 3, {}, "3 files of tags given"),
        ([CONLL_U.replace("NER=", "X="), CONLL_U], {}, "no token has a tag in its MISC column"),
    ],
)
def test_malformed_files_get_one_line_with_its_number(texts, options, part):
    with pytest.raises(InputError) as raised:
        tagged(*texts, **options)
    assert part in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("a.jsonl", '{"tags": ["B-X", "O"], "pred_tags": ["O", "B-X"], "doc": 1}\n', {}),
        ("a.json", '[{"ner_tags": ["B-X", "O"], "predictions": ["O", "B-X"], "doc": 1}]', {}),
        ("a.json", '{"rows": {"r": [{"y": {"g": ["B-X", "O"], "p": ["O", "B-X"]}, "doc": 1}]}}',
         {"records": "rows.r", "gold": "y.g", "pred": "y.p"}),
        ("a.json", '{"references": [["B-X", "O"]], "predictions": [["O", "B-X"]], "doc": [1]}', {}),
    ],
)  # fmt: skip
def test_records_hold_lists_of_tags(tmp_path, name, text, options):
    path = tmp_path / name
    path.write_text(text)
    found = read_tagged(str(path), by=["doc"], **options)
    assert (found.gold, found.pred, found.groups) == ([["B-X", "O"]], [["O", "B-X"]], [(1,)])


def test_parquet_holds_lists_of_tags(tmp_path):
    import polars as pl

    path = tmp_path / "a.parquet"
    pl.DataFrame({"tags": [["B-X"], []], "pred_tags": [["O"], []]}).write_parquet(path)
    found = read_tagged(str(path))
    assert (found.gold, found.pred) == ([["B-X"], []], [["O"], []])


def test_a_record_without_a_list_is_named(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"tags": ["O"], "pred": ["O"]}\n{"tags": ["O"], "pred": "O"}\n')
    with pytest.raises(InputError, match=r"a\.jsonl, line 2: 'pred' is 'O': expected a list of tags"):
        read_tagged(str(path))


def test_a_malformed_tag_in_a_record_is_named(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"tags": ["O"], "pred": ["O"]}\n{"tags": ["O", "PER"], "pred": ["O", "O"]}\n')
    found = read_tagged(str(path))
    with pytest.raises(InputError, match=r"a\.jsonl, line 2, gold, item 2: 'PER' is not a tag"):
        pair_spans(found.gold, found.pred, where=found.where)


TOKENS = "sentence_id,token,gold,pred\n1,EU,B-ORG,B-ORG\n1,rejects,O,O\n2,Peter,B-PER,O\n2,Blackburn,I-PER,O\n"


@pytest.mark.parametrize(
    "text",
    [
        TOKENS,
        TOKENS.replace("sentence_id", "Sentence #").replace("\n1,r", "\n,r").replace("\n2,B", "\n,B"),
        TOKENS.replace(",", ";"),
        TOKENS + "".join(f"{i},x,O,O\n" for i in range(3, 80_000)),  # an engine reads it
    ],
)
def test_tables_of_tokens_go_by_a_column_of_sentences(tmp_path, text):
    path = tmp_path / "dev.csv"
    path.write_text(text)
    found = read_tagged(str(path))
    assert found.gold[:2] == [["B-ORG", "O"], ["B-PER", "I-PER"]]
    assert found.pred[:2] == [["B-ORG", "O"], ["O", "O"]]
    assert found.where("gold", 1, 1) == f"{path}, line 5"


def test_a_table_of_tokens_without_sentences_gets_one_line(tmp_path):
    path = tmp_path / "dev.csv"
    path.write_text("token,gold,pred\nEU,B-ORG,B-ORG\n")
    with pytest.raises(ColumnError, match=r"no column that tells sentences apart.*sentence_id"):
        read_tagged(str(path))
