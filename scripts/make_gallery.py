"""Audit the recorded figures of examples/gallery and write the gallery of audits.

.venv/bin/python scripts/make_gallery.py [--check]
With --check, it writes nothing and fails if the page would change.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "gallery.md"
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


def main() -> None:
    """Write the page, or check it."""
    text = page()
    if "--check" in sys.argv[1:]:
        if PAGE.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{PAGE} is not what scripts/make_gallery.py writes")
        return
    PAGE.write_text(text, encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
