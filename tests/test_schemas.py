"""The JSON output of the commands matches the reference: every key, and no other."""

import importlib.util
import json

import jsonschema
import pytest

from macrof1.cli import main

from .conftest import ROOT

SPEC = importlib.util.spec_from_file_location("schemas", ROOT / "docs" / "schemas.py")
schemas = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(schemas)

REVIEWS = "examples/tutorials/reviews.csv"
FOSIL = "examples/germeval2018/fosil_coarse_1.csv"
CALLS = [
    ("score", f"score {REVIEWS} --pred small"),
    ("score", f"score {REVIEWS} --pred small --cluster review"),
    ("score", f"score {FOSIL} --no-interval --undefined drop --labels OTHER,OFFENSE,NONE"),
    ("score", "score examples/tutorials/entities.conll --spans"),
    ("score", "score --report examples/tutorials/report.txt"),
    ("score-by", f"score {REVIEWS} --pred small --by review"),
    ("compare", f"compare {REVIEWS} --systems small,large --n-resamples 100"),
    ("compare", "compare examples/tutorials/seeds.csv --systems system --runs seed --id row --baseline baseline"),
    ("compare", "compare examples/germeval2018/counts.csv --by run --count count --n-resamples 100"),
    ("compare", "compare examples/germeval2018/leaderboard.csv --published"),
    ("plan", f"plan {REVIEWS} --systems small,large --difference 0.02"),
    ("plan", f"plan {REVIEWS} --systems small --difference 0.02 --cluster review --no-paired"),
    ("audit", "audit --precision 0.2937 --recall 0.2283 --f1 0.2095"),
    ("audit", "audit --f1 0.90 --per-class a=0.50/0.50/0.50 --per-class b=0.61/0.62/0.99 --support a=10,b=20"),
    ("audit-table", "audit examples/germeval2018/leaderboard.csv"),
    ("audit-text", "audit examples/tutorials/report.txt"),
    ("identify", f"identify {REVIEWS} 0.7186 --pred small"),
    ("identify", f"identify {REVIEWS} 0.1 --pred small"),
    ("identify-table", "identify examples/germeval2018/leaderboard.csv --support OFFENSE=1202,OTHER=2330"),
    ("identify-table", "identify examples/germeval2018/leaderboard.csv"),
    ("conventions", f"conventions {FOSIL}"),
    ("conventions", f"conventions {FOSIL} --number 0.3727"),
    ("catalogue", "conventions"),
    ("bounds", "bounds --n-classes 3"),
    ("bounds", f"bounds {FOSIL}"),
    ("bounds", "bounds --precision 0.7 --recall 0.6 --n-classes 2"),
    ("count", f"count {FOSIL}"),
    ("count", f"count {REVIEWS} --pred small --multilabel ;"),
]


@pytest.mark.parametrize(("output", "call"), CALLS)
def test_outputs_are_as_the_reference_says(output, call, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    words = call.split()
    assert main(words if words[0] == "count" else [*words, "-f", "json"]) == 0
    found = schemas.schema(output)
    jsonschema.Draft202012Validator.check_schema(found)
    wrong = jsonschema.Draft202012Validator(found).iter_errors(json.loads(capsys.readouterr().out))
    assert [f"{error.json_path}: {error.message[:200]}" for error in wrong] == []


def test_every_schema_is_tried_and_printed_in_the_reference():
    assert {output for output, _ in CALLS} == set(schemas.OUTPUTS)
    page = (ROOT / "docs" / "reference" / "output.md").read_text(encoding="utf-8")
    assert all(f"```{{output-schema}} {name}\n" in page for name in schemas.OUTPUTS)


def test_a_key_that_the_reference_does_not_know_is_noticed():
    with pytest.raises(jsonschema.ValidationError, match="surprise"):
        jsonschema.validate({"surprise": 1}, schemas.schema("score"), cls=jsonschema.Draft202012Validator)
