"""Make the small files that the tutorials score; the same seed gives the same files.

python examples/tutorials/make.py
"""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

FOLDER = Path(__file__).parent
CLASSES = ("praise", "complaint", "question")
WEIGHTS = (60, 30, 10)


def guess(draw: random.Random, gold: str, skill: float, lean: tuple[int, int, int] = WEIGHTS) -> str:
    """Return the gold class with probability `skill`, else one by the system's own leaning."""
    return gold if draw.random() < skill else draw.choices(CLASSES, lean)[0]


def reviews() -> None:
    """Write 400 sentences of 50 reviews with two systems."""
    draw = random.Random(1)  # noqa: S311  # an example, no secret
    with (FOLDER / "reviews.csv").open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["review", "gold", "small", "large"])
        for review in range(50):
            hard = draw.random() * 0.4
            for _ in range(8):
                gold = draw.choices(CLASSES, WEIGHTS)[0]
                small = guess(draw, gold, 0.75 - hard, (85, 10, 5))
                writer.writerow([review, gold, small, guess(draw, gold, 0.85 - hard)])


def two_files() -> None:
    """Write gold and the small system of the reviews into files of their own, matched by id."""
    with (FOLDER / "reviews.csv").open(encoding="utf-8") as file:
        rows = list(enumerate(csv.DictReader(file)))
    for name, column, role in (("gold", "gold", "gold"), ("run", "small", "pred")):
        lines = [f"{place},{row[column]}\n" for place, row in (rows if name == "gold" else reversed(rows))]
        (FOLDER / f"{name}.csv").write_text("".join([f"id,{role}\n", *lines]), encoding="utf-8")


def seeds() -> None:
    """Write three systems, each trained with three seeds, on the same 300 rows."""
    draw = random.Random(2)  # noqa: S311  # as above
    gold = [draw.choices(CLASSES, WEIGHTS)[0] for _ in range(300)]
    with (FOLDER / "seeds.csv").open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["system", "seed", "row", "gold", "pred"])
        for system, skill in (("baseline", 0.62), ("adapted", 0.70), ("large", 0.72)):
            for seed in (1, 2, 3):
                own = skill + draw.gauss(0, 0.02)
                for row, label in enumerate(gold):
                    writer.writerow([system, seed, row, label, guess(draw, label, own)])


def answers() -> None:
    """Write answers of a language model, some of which are no class."""
    draw = random.Random(3)  # noqa: S311  # as above
    with (FOLDER / "answers.jsonl").open("w", encoding="utf-8") as out:
        for number in range(120):
            gold = draw.choices(CLASSES, WEIGHTS)[0]
            answer = guess(draw, gold, 0.8)
            kind = draw.random()
            if kind < 0.06:
                answer = draw.choice(["I cannot answer that.", "Sorry", "It depends."])
            elif kind < 0.16:
                answer = answer.capitalize()
            out.write(json.dumps({"id": number, "expected": gold, "output": answer}) + "\n")


def entities() -> None:
    """Write tagged sentences in columns: word, gold tag, predicted tag."""
    sentences = [
        [
            ("Ada", "B-PER", "B-PER"),
            ("Lovelace", "I-PER", "I-PER"),
            ("visited", "O", "O"),
            ("London", "B-LOC", "B-LOC"),
        ],
        [("Siemens", "B-ORG", "B-PER"), ("hired", "O", "O"), ("Grace", "B-PER", "B-PER"), ("Hopper", "I-PER", "O")],
        [("The", "O", "O"), ("Rhine", "B-LOC", "B-LOC"), ("flows", "O", "O"), ("north", "O", "O")],
        [("Acme", "B-ORG", "B-ORG"), ("Inc.", "I-ORG", "I-ORG"), ("left", "O", "O"), ("Paris", "B-LOC", "O")],
        [("Alan", "B-PER", "B-PER"), ("Turing", "I-PER", "I-PER"), ("worked", "O", "O"), ("alone", "O", "O")],
    ]
    text = "\n\n".join("\n".join(" ".join(token) for token in sentence) for sentence in sentences)
    (FOLDER / "entities.conll").write_text(text + "\n", encoding="utf-8")


def report() -> None:
    """Write what scikit-learn prints for the small system."""
    from sklearn.metrics import classification_report

    with (FOLDER / "reviews.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    printed = classification_report([row["gold"] for row in rows], [row["small"] for row in rows])
    (FOLDER / "report.txt").write_text(printed, encoding="utf-8")


if __name__ == "__main__":
    for write in (reviews, two_files, seeds, answers, entities, report):
        write()
