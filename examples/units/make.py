"""Retrieve handwritten digits: 100 queries, 200 images, two ways to say which images show the same digit.

One system retrieves the 12 nearest images, whatever the query; the other all images within a distance of 33. Needs
scikit-learn, which has the images (Alpaydin & Kaynak, "Optical Recognition of Handwritten Digits", UCI).
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

N_IMAGES, N_QUERIES, NEAREST, DISTANCE = 200, 100, 12, 33


def main() -> None:
    """Write digits.jsonl beside this file."""
    pixels, digits = load_digits(return_X_y=True)
    images, queries = pixels[:N_IMAGES], pixels[N_IMAGES : N_IMAGES + N_QUERIES]
    distances = np.sqrt(((queries[:, None] - images[None]) ** 2).sum(-1))
    lines = []
    for query, row in enumerate(distances, start=N_IMAGES):
        sets = {
            "gold": np.flatnonzero(digits[:N_IMAGES] == digits[query]),
            "nearest": np.sort(np.argsort(row, kind="stable")[:NEAREST]),
            "close": np.flatnonzero(row <= DISTANCE),
        }
        lines.append(json.dumps({"query": query, **{name: places.tolist() for name, places in sets.items()}}))
    Path(__file__).with_name("digits.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
