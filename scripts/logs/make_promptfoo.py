"""Log three answers to each item with promptfoo, in Node 20.

``PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install promptfoo@0.117.11``, then run this file in the same folder.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from items import ANSWERS, ITEMS, LOGS

PROVIDER = """const answers = {answers};
export default class {{
  id() {{ return "fixed"; }}
  async callApi(prompt) {{ return {{ output: answers[prompt].shift() }}; }}
}}
"""


def make(folder: Path) -> None:
    """Run it with a provider in JavaScript that gives the fixed answers in turn."""
    program = Path("node_modules/promptfoo/dist/src/main.js").resolve()
    tests = [{"vars": {"text": text}, "assert": [{"type": "equals", "value": gold}]} for text, gold in ITEMS]
    config = {"prompts": ["{{text}}"], "providers": ["file://provider.mjs"], "tests": tests}
    (folder / "provider.mjs").write_text(PROVIDER.format(answers=json.dumps(ANSWERS)), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    offline = ("TELEMETRY", "UPDATE", "REMOTE_GENERATION")
    names = {f"PROMPTFOO_DISABLE_{name}": "1" for name in offline} | {"PROMPTFOO_CONFIG_DIR": str(folder / "own")}
    options = shlex.split("-c config.json -o log.json --repeat 3 --no-cache --no-progress-bar --no-table -j 1")
    # Answers that fail their assertion end in the exit code 100.
    subprocess.run(
        [shutil.which("node") or "node", program, "eval", *options],
        check=False,
        cwd=folder,
        env={**os.environ, **names},
    )
    shutil.copy(folder / "log.json", LOGS / "promptfoo_repeat.json")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        make(Path(name))
