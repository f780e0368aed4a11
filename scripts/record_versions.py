"""Run the catalogue's Python systems in the versions that their entries cover, each on 500 random cases.

Prints for every entry and version whether they agree, and records the output on the first cases for the tests:
tests/golden/versions.json. Every requirement goes into its own folder, so that any two can be run together: python
scripts/record_versions.py FOLDER [ENTRY …]

Two are not packages: FOLDER/caml-mimic@44a4745 must hold evaluation.py, constants.py and datasets.py of
https://github.com/jamesmullenbach/caml-mimic at that commit, FOLDER/HIPE-scorer@c2a5684 the folder hipe_evaluation of
https://github.com/hipe-eval/HIPE-scorer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.catalogue.systems import SYSTEMS, differences  # noqa: E402

CASES = 500
KEPT = 40
GOLDEN = ROOT / "tests" / "golden" / "versions.json"

OLD_NUMPY = ("numpy==1.23.5", "scipy==1.10.1")
SKLEARN = [
    *(("scikit-learn==" + version, *OLD_NUMPY) for version in ("1.1.3", "1.2.2", "1.3.0", "1.3.2", "1.4.2", "1.5.2")),
    *(("scikit-learn==" + version,) for version in ("1.6.1", "1.7.2", "1.8.0")),
]
OLD_TORCHMETRICS = ("setuptools==69.5.1", "pyDeprecate==0.3.2", "lightning-utilities==0.15.3")


def torchmetrics(*versions: str) -> list[tuple[str, ...]]:
    """Return torchmetrics in some versions, with what the oldest of them need beside torch."""
    return [(f"torchmetrics=={version}", *OLD_TORCHMETRICS) for version in versions]


BEFORE_0_5 = ("0.2.0", "0.3.2", "0.4.1")
BEFORE_0_11 = ("0.5.1", "0.6.2", "0.7.3", "0.8.2", "0.9.3", "0.10.3")
SINCE_1_0 = ("1.0.3", "1.2.1", "1.4.3", "1.5.2", "1.6.3", "1.7.4", "1.8.2")
# Both need other versions of what the tests need themselves, so that they get only what they import.
FLAIR = (
    "flair==0.15.1", "transformers==4.57.3", "tokenizers==0.22.1", "huggingface_hub==0.36.0", "datasets==3.6.0",
    "transformer-smaller-training-vocab==0.4.2", "deprecated==1.3.1", "segtok==1.5.11",
    "sentencepiece==0.2.2", "ftfy==6.3.1", "wcwidth==0.9.4", "bioc==2.1", "gdown==6.5.1", "pillow==13.0.0",
    "conllu==6.0.0",
)  # fmt: skip
HELM = (
    "crfm-helm==0.5.16", "cattrs==26.2.1", "colorlog==6.12.0", "dacite==1.9.2", "mako==1.4.3", "pyhocon==0.3.63",
    "pyparsing==3.3.3", "retrying==1.4.2",
)  # fmt: skip
TORCHEVAL = [(f"torcheval==0.0.{version}",) for version in (3, 4, 5, 6)]
VERSIONS: dict[str, list[tuple[str, ...]]] = {
    "scikit-learn": SKLEARN,
    "scikit-learn-1": [each for each in SKLEARN if "==1.3" not in each[0]],
    "scikit-learn-1-1.3": [each for each in SKLEARN if "==1.3" in each[0]],
    "scikit-learn-nan": [each for each in SKLEARN if each[0] >= "scikit-learn==1.4"],
    "scikit-learn-nan-1.3": [each for each in SKLEARN if each[0] == "scikit-learn==1.3.2"],
    "torchmetrics": torchmetrics(*SINCE_1_0),
    "torchmetrics-multilabel": torchmetrics("0.10.3", "0.11.4", *SINCE_1_0),
    "torchmetrics-default": torchmetrics(*BEFORE_0_5, *BEFORE_0_11, "0.11.4", *SINCE_1_0),
    "torchmetrics-before-0.5": torchmetrics(*BEFORE_0_5),
    "torchmetrics-before-0.5 (sets)": torchmetrics(*BEFORE_0_5),
    "torchmetrics-0.5-to-0.10": torchmetrics(*BEFORE_0_11),
    "torchmetrics-0.5-to-0.10 (sets)": torchmetrics(*BEFORE_0_11),
    "torchmetrics-0.10-to-0.11": torchmetrics("0.10.3", "0.11.0", "0.11.4"),
    "torcheval": TORCHEVAL,
    "torcheval-default": TORCHEVAL,
    "autogluon": [("autogluon.core==1.6.3", "autogluon.common==1.6.3")],
    "h2o": [("h2o==3.46.0.12",)],
    **{entry: [FLAIR] for entry in ("flair", "flair (sets)", "flair (spans)")},
    "flair-before-0.4.1": [("flair==0.4.0", "segtok==1.5.11")],
    "flair-0.4.1": [("flair==0.4.1", "segtok==1.5.11")],
    "spacy": [("spacy==3.8.18 with all",)],
    "spacy (sets)": [("spacy==3.8.18 with all",)],
    "spacy-ner": [("spacy==3.8.18 with all",)],
    "fasttext": [("fasttext-wheel==0.9.2 with all",)],
    "nervaluate": [("nervaluate==1.2.1",)],
    "phoenix-evals-before-3.1.1": [
        (f"arize-phoenix-evals=={version}", "arize-phoenix-evals==3.1.0 with all")
        for version in ("2.0.0", "3.0.0", "3.1.0")
    ],
    **{entry: [HELM] for entry in ("helm", "helm (sets)", "helm-labels", "helm-labels (sets)", "helm-choice")},
    **{entry: [("HIPE-scorer@c2a5684", "smart_open==9.0.2")] for entry in ("hipe", "hipe-recomputed")},
    "lm-eval": [("lm-eval==0.4.13", "sacrebleu==2.6.0", "lxml==6.1.3", "portalocker==4.4.2")],
    "caml-mimic": [("caml-mimic@44a4745",)],
}


def folder_of(requirement: str, folder: Path) -> Path:
    """Install a requirement into a folder of its own, alone or with all that it needs, unless it is there."""
    package, _, rest = requirement.partition(" ")
    target = folder / requirement.replace(" ", "-")
    if not target.exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--target", str(target), package]
        subprocess.run([*command, *([] if rest else ["--no-deps"])], check=True)
    return target


def ask(entry: str, requirements: tuple[str, ...], folder: Path) -> list[float]:
    """Ask a system in its own process, where these versions come before all others."""
    paths = [str(folder_of(requirement, folder)) for requirement in requirements]
    done = subprocess.run(
        [sys.executable, "-m", "tests.catalogue.systems", entry],
        input=json.dumps(list(range(CASES))),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{entry} with {requirements}: {done.stderr[-2000:]}")
    # Some say goodbye below it.
    found: list[float] = json.loads(next(line for line in reversed(done.stdout.splitlines()) if line.startswith("[")))
    return found


def main() -> None:
    """Run what was asked for; what was not keeps its record."""
    folder, *wanted = sys.argv[1:]
    for entry in wanted or VERSIONS:
        for requirements in VERSIONS[entry]:
            printed = ask(entry, requirements, Path(folder).resolve())
            off = differences(entry, range(CASES), printed)
            print(f"{entry} | {requirements[0]} | {len(printed) - len(off)} of {len(printed)} agree", *off.items())
            ways = len(SYSTEMS[entry].declared)
            kept = [value for way in range(ways) for value in printed[way * CASES : way * CASES + KEPT]]
            keep(entry, requirements[0].split()[0], [float(f"{value:.9g}") for value in kept])


def keep(entry: str, version: str, values: list[float]) -> None:
    """Add to the record, one version per line, so that a difference is read easily."""
    record = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
    record.setdefault(entry, {})[version] = values
    lines = [
        f' "{entry}": {{\n' + ",\n".join(f'  "{name}": {json.dumps(values)}' for name, values in found.items()) + "\n }"
        for entry, found in sorted(record.items())
    ]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
