"""Audit recorded figures and write both galleries of audits: the page of the docs, and the cases of the explorer.

.venv/bin/python scripts/make_gallery.py [--check]
With --check, it writes nothing and fails if one of them would change.
"""

from __future__ import annotations

import csv
import json
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import macrof1
from macrof1.bounding.closed_forms import harmonic_mean
from macrof1.convention import FORMULAS
from macrof1.errors import InputError
from macrof1.reading.numbers import plain_number
from macrof1.reporting.audit_documents import range_text

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "gallery.md"
CASES = ROOT / "src" / "macrof1" / "web" / "data" / "gallery.jsonl"
GERMEVAL = {"offense": "1202", "other": "2330"}
KEPT = ("verdict", "reason", "published", "percent", "decimals", "averaged_f1", "f1_of_averages", "findings")
RATIOS = ("precision", "recall", "f1")
MOST_LINKED = 20  # classes in a link to an audit
WORDS = {
    "averaged_f1": "averaged F1",
    "f1_of_averages": "F1 of averages",
    "either": "either formula",
    "neither": "neither formula",
}
HEAD = """# Gallery: ten published figures, audited

What was printed, what its figures prove, and what they leave open. What the authors report is right under their own
definition unless the text says otherwise. Every case is one command; `scripts/make_gallery.py` writes this page from
the figures recorded in `examples/gallery/`. The [explorer](explorer.md)'s gallery has 511 more.
"""


def answer(command: str) -> dict[str, Any]:
    """Run a command and return its JSON."""
    words = [sys.executable, "-m", "macrof1", *shlex.split(command), "-f", "json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command}: {done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def told(found: dict[str, Any]) -> str:
    """Say in a phrase what the command found."""
    if "matches" in found:
        alike = f"{len(found['matches'])} of {found['tried']} definitions give it on these rows"
        return f"{found['value']} is {found['matches'][0]['words']} ({alike})"
    if "summary" in found:
        rows = found["rows"]
        if len(rows) == 1:
            return told(rows[0])
        counted = [f"{WORDS[name]} {n}" for name, n in found["summary"]["verdicts"].items() if n]
        return f"{len(rows)} rows: {', '.join(counted)}"
    if "reports" in found:
        return told(found["reports"][0])
    ranges = []
    for name in ("averaged_f1", "f1_of_averages"):
        if found.get(name):
            places = found["decimals"] if found["decimals"] < 8 else 4
            low, high = (f"{end * (100 if found['percent'] else 1):.{places}f}" for end in found[name])
            ranges.append(f"{WORDS[name]} {low if low == high else f'{low} to {high}'}")
    verdict = f"**{WORDS[found['verdict']]}**" if found["published"] is not None else "no macro F1 beside the classes"
    return f"{verdict} ({'; '.join(ranges)})"


def page() -> str:
    """Return the gallery as Markdown."""
    cases = tomllib.loads((ROOT / "examples" / "gallery" / "cases.toml").read_text(encoding="utf-8"))["case"]
    parts = [HEAD]
    for case in cases:
        source = f"[source]({case['source']})" if case["source"].startswith("https") else case["source"]
        source += f", `{case['where']}`" if "where" in case else ""
        parts.append(
            f"## {case['title']}\n\n"
            f"Printed: {case['printed']} ({source}).\n\n"
            f"Proved: {told(answer(case['command']))}. {case['proved']}\n\n"
            f"Left open: {case['open']}\n\n"
            f"```sh\nmf1 {case['command']}\n```\n"
        )
    return "\n".join(parts)


def cases_of_the_explorer() -> str:
    """Return GermEval's leaderboard and the census as lines of JSON, as the explorer shows them."""
    rows = list(csv.DictReader((ROOT / "examples/germeval2018/leaderboard.csv").read_text("utf-8").splitlines()))
    audited = macrof1.audit_table(rows, support=GERMEVAL)
    cases = []
    for printed, row in zip(rows, audited.rows, strict=True):
        content = row.to_dict()
        macro = {kind: printed[f"macro_{kind}"] for kind in RATIOS}
        beside = {name: printed[name] for name in ("accuracy", "correct", "total")}
        classes = [[label, *(printed[f"{label}_{kind}"] for kind in RATIOS), n] for label, n in GERMEVAL.items()]
        cases.append(
            {
                "name": row.name,
                "source": "GermEval 2018, task I",
                "link": link({**macro, **beside, "percent": "true"}, classes),
                **{name: content[name] for name in KEPT},
                "shown": {formula: range_text(row.result, formula) for formula in FORMULAS},
            }
        )
    census = (ROOT / "examples" / "census" / "census.jsonl").read_text("utf-8").splitlines()
    cases += [case_of(json.loads(line)) for line in census]
    return "".join(f"{json.dumps(case, ensure_ascii=False)}\n" for case in cases)


def link(figures: Mapping[str, str], classes: list[list[str]]) -> str:
    """Return the link to an audit of these figures."""
    fields = [f"{name}={quote(value, safe='')}" for name, value in figures.items() if value]
    if classes and len(classes) <= MOST_LINKED:
        fields.append("classes=" + ";".join(",".join(quote(value, safe="") for value in one) for one in classes))
    return f"#/audit?{'&'.join(fields)}"


def case_of(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return a report of the census, with both scores if its classes give them."""
    macro = {kind: report["macro avg"].get(kind) or "" for kind in RATIOS}
    classes = []
    for label, row in report["classes"].items():
        hits, missed = row.get("tp", ""), row.get("fn", "")
        total = str(int(hits) + int(missed)) if hits.isdecimal() and missed.isdecimal() else ""
        classes.append([label, *(row.get(kind) or "" for kind in RATIOS), row.get("support") or total])
    scores: tuple[float, float] | None = None
    reason, rows = f"Printed {macro['f1']}." if macro["f1"] else "", report["classes"].values()
    # Both scores, from the printed precision and recall of the classes, if all are there.
    with suppress(KeyError, InputError, TypeError, ZeroDivisionError):
        pairs = [[float(plain_number(row[kind])[0]) for kind in ("precision", "recall")] for row in rows]
        scale = 100 if max(map(max, pairs), default=0) > 1 else 1
        p, r = (sum(pair[side] for pair in pairs) / scale / len(pairs) for side in (0, 1))
        averaged = sum(harmonic_mean(one / scale, other / scale) for one, other in pairs) / len(pairs)
        scores = averaged, harmonic_mean(p, r)
    if scores is not None:
        other = f"; it is {report['definition']}" if report["definition"] else ""
        given = f"The classes give averaged F1 {scores[0]:.4f} and F1 of averages {scores[1]:.4f}"
        reason = f"{given}; printed {macro['f1']}{other}."
    both = dict(zip(FORMULAS, scores or (None, None), strict=True))
    return {
        "name": report["name"],
        "source": f"{report['source']} ({report['tool']})",
        "link": link({**macro, "accuracy": report.get("accuracy") or ""}, classes),
        "verdict": report["verdict"],
        "reason": reason,
        "published": macro["f1"] or None,
        "percent": False,
        "decimals": 4,
        **{formula: None if value is None else [value, value] for formula, value in both.items()},
        "shown": {formula: "–" if value is None else f"{value:.4f}" for formula, value in both.items()},
        "findings": report["findings"],
    }


def main() -> None:
    """Write both, or check them."""
    for path, text in ((PAGE, page()), (CASES, cases_of_the_explorer())):
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
            print(path)
        elif path.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{path} is not what scripts/make_gallery.py writes")


if __name__ == "__main__":
    main()
