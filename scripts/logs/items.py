"""What all tools are asked, and the fixed answers they get: no log needs a model or a network."""

from __future__ import annotations

from pathlib import Path

LOGS = Path(__file__).parents[2] / "tests" / "reading" / "logs"
ITEMS = [("great film", "positive"), ("bad film", "negative"), ("so so", "neutral"), ("awful", "negative")]
CLASSES = ["negative", "neutral", "positive"]
ANSWERS = {
    "great film": ["positive", "positive", "neutral"],
    "bad film": ["neutral", "negative", "negative"],
    "so so": ["positive", "negative", "neutral"],
    "awful": ["positive", "positive", "positive"],
}
# The same class in the words of a chatty model; the last one names none.
TEXTS = {
    "great film": '```json\n{"label": "positive", "why": "not negative"}\n```',
    "bad film": "Answer: negative",
    "so so": "The answer is (neutral).",
    "awful": "I would rather not say.",
}
