"""Every option with every job and every kind of input: the output changes, or the option is refused.

The table of options says where an option has an effect; where it may have none although it is taken, it says why.
"""

import json
import random

import polars as pl
import pytest

from macrof1.cli import main
from macrof1.options import OPTIONS, options_of

JOBS = ("score", "compare", "plan", "identify", "conventions", "count", "bounds", "audit")
KINDS = ("rows", "sets", "logs", "spans", "counts", "rankings", "matrix", "report", "published", "figures", "nothing")

# What each job is called with for each kind of input; a kind that is missing cannot be given to the job.
CALLS = {
    "score": {
        "rows": "preds.csv", "sets": "sets.csv --multilabel ;", "logs": "log.json", "spans": "tags.conll --spans",
        "counts": "one.counts.json", "matrix": "--matrix one.matrix.csv --rows gold", "report": "--report report.txt",
        "rankings": "qrels.txt a.run",
    },
    "compare": {
        "rows": "systems.csv", "sets": "setsystems.csv --multilabel ;", "counts": "one.counts.json two.counts.json",
        "matrix": "one.matrix.csv two.matrix.csv --matrix --rows gold", "published": "board.csv",
        "rankings": "qrels.txt a.run b.run",
    },
    "plan": {"rows": "pilot.csv --difference 0.01", "sets": "setpilot.csv --multilabel ; --difference 0.01"},
    "identify": {
        "rows": "preds.csv 0.5", "sets": "sets.csv 0.5 --multilabel ;", "logs": "log.json 0.5",
        "spans": "tags.conll 0.5 --spans", "counts": "one.counts.json 0.5",
        "matrix": "0.5 --matrix one.matrix.csv --rows gold", "published": "figures.csv",
        "rankings": "qrels.txt a.run 0.5",
    },
    "conventions": {
        "rows": "preds.csv", "sets": "sets.csv --multilabel ;", "logs": "log.json", "counts": "one.counts.json",
        "matrix": "--matrix one.matrix.csv --rows gold", "nothing": "",
    },
    "count": {"rows": "preds.csv", "sets": "sets.csv --multilabel ;", "logs": "log.json", "counts": "one.counts.json",
              "rankings": "qrels.txt a.run"},
    "bounds": {"rows": "preds.csv", "counts": "one.counts.json", "nothing": "--n-classes 3"},
    "audit": {"published": "figures.csv", "report": "report.txt", "figures": "--precision 0.62 --recall 0.61 --f1 0.6"},
}  # fmt: skip

# A value of each option that should make a difference; where it depends, by kind of input or job.
VALUES = {
    "gold": {"": "other", "spans": "2"}, "pred": {"": "other", "spans": "3"}, "sample_weight": "weight", "count": "n",
    "by": {"": "part", "published": "team", "compare": "system", "spans": "document"}, "cluster": "document",
    "systems": {"": "a,b", "plan": "a"}, "id": "id", "runs": "part",
    "baseline": {"": "a", "counts": "one", "matrix": "one.matrix"}, "header": False,
    "file_format": {"": "csv", "logs": "json"}, "records": "rows", "spans": True, "scheme": "iob1", "mode": "strict",
    "tag_names": "O, B-X", "matrix": {"": "two.matrix.csv", "compare": True}, "rows": "predicted",
    "report": "other.txt", "published": True, "labels": {"": "a,b", "matrix": "a,b,c", "spans": "X"},
    "multilabel": ";", "missing": "label", "normalize": "case", "outside": "class", "classes": "gold", "undefined": 1,
    "missing_predictions": "drop", "beta": 2, "convention": "weka", "exclude": {"": "a", "spans": "X"},
    "interval": False, "confidence_level": 0.8,
    "equivalent": 0.5, "prevalence": {"": "a=0.5,b=0.3,c=0.2", "matrix": "a=0.5,b=0.3,B=0.2"}, "details": True,
    "method": {"": "delta", "rankings": "bootstrap"}, "test": "bootstrap", "n_resamples": 200, "rng": 7,
    "difference": 0.02, "power": 0.9,
    "paired": False, "fail_under": "averaged_f1=0.99", "fail_under_low": "averaged_f1=0.99", "non_inferior": 0.001,
    "strict": True, "config": {"": "task.toml", "published": "exclude.toml"}, "number": "0.5", "format": "json",
    "table": "flips", "digits": 2, "also": True, "quiet": True, "output": "out.counts.json", "html": "out.html",
    "force": True, "repeats": "vote", "extract": True, "over": "document", "positive": "a", "empty": 1, "k": 2,
    "relevance": 2,
    "no_id": True, "support": {"": "a=20,b=30", "bounds": "20,30"}, "precision": "0.7", "recall": "0.7", "f1": "0.7",
    "per_class": "a=0.5/0.5/0.5", "n_classes": 4, "accuracy": "0.6", "correct": "60", "total": "100", "percent": True,
    "decimals": {"": 5, "figures": 3}, "rounding": "truncate", "task": "multilabel", "columns": "macro_f1=other",
    "f1_of_averages": "0.7", "averaged_f1": "0.7", "closeness": "0.01",
    "gold_file": "gold.csv", "limits": "megabytes=50", "fail_under_pooled": "averaged_f1=0.99",
    "baseline_file": "last.json", "junit": "out.html", "step_summary": True, "rank_by": "f1_of_averages",
    "ties": "score", "public": True,
    "verify": "averaged_f1|classes:gold|k:9|undefined:0|beta:1|task:spans|weights:no|version:0.1.0",
}  # fmt: skip

# Another call for some options, which that option alone makes different.
_WIDE, _SETS = "wide.csv --systems a,b", "widesets.csv --systems a,b --multilabel ;"
INSTEAD = {
    **{
        (job, kind, name): call + more
        for job, more in (("compare", ""), ("plan", " --difference 0.01"))
        for kind, call in (("rows", _WIDE), ("sets", _SETS))
        for name in ("gold", "sample_weight", "count", "cluster")
    },
    ("compare", "rows", "header"): "named.csv --gold 1 --systems 2,3",
    ("compare", "sets", "header"): "setnamed.csv --gold 1 --systems 2,3 --multilabel ;",
    ("plan", "rows", "header"): "named.csv --gold 1 --systems 2,3 --difference 0.01",
    ("plan", "sets", "header"): "setnamed.csv --gold 1 --systems 2,3 --multilabel ; --difference 0.01",
    **{(job, "rows", "header"): f"preds.csv --gold 2 --pred 3{' 0.5' * (job == 'identify')}"
       for job in ("score", "identify", "conventions", "count")},
    **{(job, "sets", "header"): f"sets.csv --gold 2 --pred 3 --multilabel ;{' 0.5' * (job == 'identify')}"
       for job in ("score", "identify", "conventions", "count")},
    ("bounds", "rows", "header"): "preds.csv --gold 2",
    ("score", "spans", "gold"): "tags.conll --spans --pred 4",
    ("score", "spans", "pred"): "tags.conll --spans --gold 2",
    ("identify", "spans", "gold"): "tags.conll 0.5 --spans --pred 4",
    ("identify", "spans", "pred"): "tags.conll 0.5 --spans --gold 2",
    ("score", "matrix", "labels"): "--matrix plain.csv --rows gold",
    ("identify", "matrix", "labels"): "0.5 --matrix plain.csv --rows gold",
    ("conventions", "matrix", "labels"): "--matrix plain.csv --rows gold",
    ("compare", "matrix", "labels"): "plain.csv plain2.csv --matrix --rows gold",
    ("identify", "published", "support"): "bare.csv", ("audit", "published", "support"): "bare.csv",
}  # fmt: skip

# Both calls, where an option stands for others.
_FILES = "gold.csv first.csv second.csv"
PAIRS = {
    **{(job, kind, name): (f"gold.csv first.csv --pred pred{mark}", f"gold.csv first.csv --pred pred{mark} {words}")
       for job in ("score", "count", "conventions")
       for kind, mark in (("rows", ""), ("sets", " --multilabel ;"), ("logs", ""))
       for words in ("--id id", "--no-id", "--missing-predictions drop")
       for name in [words.split()[0].strip("-").replace("-", "_")]},
    **{("score", kind, "gold_file"): (f"gold.csv {call} --pred other", f"{call} --pred pred --gold-file gold.csv")
       for kind, call in (("rows", "first.csv"), ("logs", "first.csv"), ("sets", "first.csv --multilabel ;"))},
    **{("compare", kind, "gold_file"): (f"gold.csv {call} --pred other", f"{call} --gold-file gold.csv --pred pred")
       for kind, call in (("rows", "first.csv second.csv"), ("sets", "first.csv second.csv --multilabel ;"))},
    **{("compare", kind, "missing_predictions"): (f"{_FILES}{mark}", f"{_FILES}{mark} --missing-predictions drop")
       for kind, mark in (("rows", ""), ("sets", " --multilabel ;"))},
    ("score", "rankings", "gold_file"): ("qrels.txt a.run", "b.run --gold-file qrels.txt"),
    ("compare", "rankings", "gold_file"): ("qrels.txt a.run b.run", "b.run a.run c.run --gold-file qrels.txt"),
    ("score", "spans", "gold_file"): ("tags.conll --spans", "again.conll --spans --gold-file tags.conll"),
    **{(job, kind, name): (f"{file} {first}", f"{file} {second}")
       for job in ("score", "count")
       for kind, file in (("rows", "preds.csv"), ("logs", "log.json"))
       for name, first, second in (("over", "", "--over document --exclude a"),
                                   ("positive", "--over document --exclude a", "--over document --positive a"))},
    ("compare", "rows", "over"): (_WIDE, f"{_WIDE} --over document --exclude a"),
    ("compare", "sets", "over"): (_SETS, f"{_SETS} --over document"),
    ("compare", "rows", "positive"): tuple(f"{_WIDE} --over document --{name} a" for name in ("exclude", "positive")),
    ("compare", "rows", "empty"): tuple(f"{_WIDE} --over document --exclude a{more}" for more in ("", " --empty 1")),
    ("compare", "sets", "empty"): tuple(f"{_SETS} --over document{more}" for more in ("", " --empty 1")),
    ("score", "sets", "cluster"): tuple(f"sets.csv --multilabel ; --over rows{more}"
                                        for more in ("", " --cluster document")),
    **{("identify", kind, name): (f"{file} 0.5 {first}", f"{file} 0.5 --over document --positive a")
       for kind, file in (("rows", "preds.csv"), ("logs", "log.json"))
       for name, first in (("over", ""), ("positive", "--over document --positive b"))},
    **{(job, kind, "exclude"): tuple(f"{file}{number} --over document --exclude {label}" for label in "ba")
       for job, number in (("count", ""), ("identify", " 0.5"))
       for kind, file in (("rows", "preds.csv"), ("logs", "log.json"), ("sets", "sets.csv --multilabel ;"))},
    ("identify", "spans", "exclude"): tuple(f"tags.conll 0.5 --spans --over document{more}"
                                            for more in ("", " --exclude X")),
    ("compare", "rows", "pred"): (_FILES, f"{_FILES} --pred other"),
    ("compare", "rows", "by"): ("long.csv --systems pred,other", "long.csv --by system"),
    ("compare", "rows", "id"): ("long.csv --by system", "long.csv --systems system --id id"),
    ("compare", "rows", "no_id"): (_FILES, f"{_FILES} --no-id"),
    ("compare", "rows", "runs"): ("long.csv --systems system --id id", "runs.csv --systems system --id id --runs seed"),
    ("compare", "sets", "pred"): (f"{_FILES} --multilabel ;", f"{_FILES} --multilabel ; --pred other"),
    ("compare", "sets", "by"): ("long.csv --systems pred,other --multilabel ;", "long.csv --by system --multilabel ;"),
    ("compare", "sets", "id"): ("long.csv --by system", "long.csv --systems system --id id --multilabel ;"),
    ("compare", "sets", "no_id"): (f"{_FILES} --multilabel ;", f"{_FILES} --multilabel ; --no-id"),
    ("bounds", "nothing", "support"): ("--support 20,40", "--support 20,30"),
    ("bounds", "nothing", "over"): tuple(f"--averaged-f1 0.6{more}" for more in ("", " --over query")),
    ("bounds", "nothing", "precision"): ("--precision 0.7 --recall 0.6", "--precision 0.8 --recall 0.6"),
    ("bounds", "nothing", "recall"): ("--precision 0.7 --recall 0.6", "--precision 0.7 --recall 0.5"),
    ("bounds", "nothing", "averaged_f1"): ("--n-classes 3", "--n-classes 3 --averaged-f1 0.7"),
    ("bounds", "nothing", "f1_of_averages"): ("--n-classes 3", "--n-classes 3 --f1-of-averages 0.7"),
}  # fmt: skip

# What an option needs beside it, in both calls.
BESIDE = {
    "non_inferior": "--baseline {baseline}",
    **{(kind, "empty"): "--over document --exclude a" for kind in ("rows", "logs")},
    **{(kind, "empty"): "--over document" for kind in ("sets", "spans")},
    ("rows", "outside"): "--labels a,b", ("logs", "outside"): "--labels a,b",
}  # fmt: skip

# Options that the table allows for a kind of input, and that the data of this test cannot have.
REFUSED = {
    ("logs", "header"), ("logs", "repeats"), ("rows", "repeats"),
    ("rows", "records"), ("sets", "records"), ("spans", "records"), ("spans", "tag_names"),
    ("sets", "convention"), ("spans", "convention"), ("rows", "n_classes"), ("counts", "n_classes"),
    ("counts", "empty"), ("rankings", "convention"),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write data in which every option finds something to change."""
    path = tmp_path_factory.mktemp("options")
    rng = random.Random(3)  # noqa: S311  # test data
    rows = []
    for place in range(120):
        gold = rng.choice("abc")
        a, b, other = (gold if rng.random() < right else rng.choice(["a", "b", "c", "A"]) for right in (0.7, 0.5, 0.6))
        part, document = place % 3, place // 4
        rows.append((place, gold, a, b, other, rng.randint(1, 5), rng.randint(0, 3), part, document))
    names = ["id", "gold", "pred", "b", "other", "weight", "n", "part", "document"]
    table = pl.DataFrame(rows, schema=names, orient="row")
    table.drop("b").write_csv(path / "preds.csv")
    sets = table.with_columns(
        pl.format("{};{}", "gold", "other").alias("gold"), pl.format("{};{}", "pred", "b").alias("pred"),
        pl.format("{};a", "b").alias("b"),
    )  # fmt: skip
    sets.drop("b").write_csv(path / "sets.csv")
    for data, few, many in ((table, "systems.csv", "wide.csv"), (sets, "setsystems.csv", "widesets.csv")):
        wide = data.rename({"pred": "a"})
        wide.write_csv(path / many)
        wide.select("gold", "a", "b", c="other").write_csv(path / few)
        wide.select("gold", "a", "b").write_csv(path / few.replace("systems", "pilot"))
        wide.select("gold", one="a", two="b").write_csv(path / few.replace("systems", "named"))
    systems = [table.with_columns(system=pl.lit(name), pred=pl.col(name)) for name in ("other", "b")]
    pl.concat(systems).select("system", "id", "part", "gold", "pred", "other").write_csv(path / "long.csv")
    pl.concat([each.with_columns(seed=pl.lit(seed)) for each in systems for seed in (1, 2)]).select(
        "system", "seed", "id", "gold", "pred"
    ).write_csv(path / "runs.csv")
    table.select("id", "gold").write_csv(path / "gold.csv")
    table.select("id", "pred", "other").write_csv(path / "first.csv")
    table.select("id", pred="b", other="pred").write_csv(path / "second.csv")
    (path / "qrels.txt").write_text("".join(f"q{n % 30} 0 d{n} {n % 3}\n" for n in range(150)) + "q99 0 d1 0\n")
    for name in "abc":
        lines = (f"q{n % 30} Q0 d{rng.randint(0, 150)}-{n} 0 {rng.random()} x\n" for n in range(90))
        found = (f"q{n % 30} Q0 d{n} 0 {rng.random()} x\n" for n in range(150) if n % 30 and rng.random() < 0.6)
        (path / f"{name}.run").write_text("".join([*lines, *found]))
    records = table.drop("b").to_dicts()
    (path / "log.json").write_text(json.dumps({"meta": 1, "rows": records}))
    tags = ["B-X", "I-X", "O", "B-Y"]
    lines = (" ".join(["w", *(rng.choice(tags) for _ in range(3))]) for _ in range(60))
    text = "".join(f"{line}\n" for line in lines)
    for name in ("tags", "again"):
        (path / f"{name}.conll").write_text(text)
    for name, column in (("one", "pred"), ("two", "other")):
        counted = ["count", str(path / "preds.csv"), "--pred", column, "--labels", "a,b,c"]
        assert main([*counted, "-o", str(path / f"{name}.counts.json")]) == 0
    (path / "one.matrix.csv").write_text(",a,b,B\na,30,6,2\nb,3,25,9\nB,1,2,5\n")
    (path / "plain.csv").write_text("30,6,2\n3,25,9\n1,2,5\n")
    (path / "plain2.csv").write_text("25,9,4\n9,20,8\n2,2,4\n")
    (path / "two.matrix.csv").write_text(",a,b,B\na,25,9,4\nb,9,20,8\nB,2,2,4\n")
    (path / "board.csv").write_text(
        "team,system,a_precision,a_recall,b_precision,b_recall,c_precision,c_recall\n"
        "x,p,0.9,0.2,0.4,0.8,0.5,0.5\ny,q,0.5,0.6,0.6,0.55,0.4,0.7\n"
    )
    (path / "figures.csv").write_text(
        "name,macro_f1,other,a_precision,a_recall,a_f1,b_precision,b_recall,b_f1,a_support,b_support\n"
        "x,0.7333,0.5,1.0,0.5,0.6667,0.6667,1.0,0.8,2,2\n"
    )
    (path / "bare.csv").write_text(
        "name,macro_f1,a_precision,a_recall,a_f1,b_precision,b_recall,b_f1\nx,0.7333,1.0,0.5,0.6667,0.6667,1.0,0.8\n"
    )
    (path / "exclude.toml").write_text("exclude = ['a']\n")
    for name, second, total in (
        ("report.txt", "b 0.67 1.00 0.80 2", "avg 0.83 0.75 0.73 4"),
        ("other.txt", "b 0.75 1.00 0.86 3", "avg 0.88 0.75 0.76 5"),
    ):
        head = " precision recall f1-score support"
        rows = [head, "a 1.00 0.50 0.67 2", second, f"macro {total}"]
        (path / name).write_text("".join(f"{row}\n" for row in rows))
    (path / "task.toml").write_text("beta = 2\n")
    last = {"intervals": {"averaged_f1": {"estimate": 1.0, "standard_error": 0.0}}}
    (path / "last.json").write_text(json.dumps(last))
    return path


def words_of(option, value):
    """Spell an option as it is typed."""
    name = f"--{option.spelled.replace('_', '-')}"
    if option.type is bool:
        return [name] if value else [f"--no-{name.removeprefix('--')}"]
    return [name, str(value)]


def run(words, folder, capsys, monkeypatch):
    """Run a command and return all that it does: its exit code, what it prints, and what it writes."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "out.counts.json")
    for name in ("out.counts.json", "out.html"):
        (folder / name).unlink(missing_ok=True)
    code = main(words)
    shown = capsys.readouterr()
    written = [name for name in ("out.counts.json", "out.html") if (folder / name).exists()]
    return code, shown.out, shown.err, written


CASES = [
    (job, kind, option)
    for job in JOBS
    for kind in KINDS
    for option in options_of(job).values()
    if kind in CALLS[job] and f"--{option.spelled.replace('_', '-')}" not in CALLS[job][kind].split()
]


@pytest.mark.parametrize(("job", "kind", "option"), CASES, ids=lambda part: getattr(part, "name", part))
def test_no_option_is_ignored(job, kind, option, folder, capsys, monkeypatch):
    base = [job, *INSTEAD.get((job, kind, option.name), CALLS[job][kind]).split()]
    value = VALUES[option.name]
    if isinstance(value, dict):
        value = value.get(kind, value.get(job, value[""]))
    works = option.works_on(job, "rows" if kind == "logs" else kind)
    beside = BESIDE.get((kind, option.name), BESIDE.get(option.name, "")) if works else ""
    beside = beside.format(baseline={"counts": "one", "matrix": "one.matrix"}.get(kind, "a")).split()
    calls = [*base, *beside], [*base, *beside, *words_of(option, value)]
    if (job, kind, option.name) in PAIRS:
        calls = tuple([job, *call.split()] for call in PAIRS[job, kind, option.name])
    without, found = (run(words, folder, capsys, monkeypatch) for words in calls)
    assert without[0] == 0, without[2]
    if not works or (kind, option.name) in REFUSED:
        assert found[0] == 2, found
        assert found[1] == ""
        assert len(found[2].splitlines()) == 1, found
    else:
        assert found[0] < 2, found[2]
        assert found != without or option.idle, found[1:3]


def test_every_option_has_a_value_here():
    assert {option.name for option in OPTIONS if set(option.on) & set(JOBS)} == set(VALUES)
