"""Text is read by Python or by Polars, depending on its size: the same numbers, notes and messages either way."""

import csv
import io
import random
import warnings

import pytest

from macrof1.errors import MacroF1Error
from macrof1.reading import tables
from tests.cli.corpus import CASES
from tests.cli.test_corpus import run
from tests.oracles import count_file


@pytest.fixture
def both_ways(monkeypatch):
    """Return what a call gives if Python reads text of any size, and if Polars does."""

    def read(call):
        found = []
        for limit in (1 << 40, 0):
            monkeypatch.setattr(tables, "_SMALL", limit)
            monkeypatch.setattr(tables, "_SMALL_PACKED", limit)
            found.append(call())
        return found

    return read


@pytest.mark.parametrize("name", CASES)
def test_every_sloppy_file_is_the_same_to_both(tmp_path, capsys, both_ways, name):
    def call():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            code = run(tmp_path, CASES[name], "-f", "json")
        return code, capsys.readouterr(), sorted(str(warning.message) for warning in caught)

    in_python, in_polars = both_ways(call)
    assert in_polars == in_python


CELLS = ["a", "b", "a b", "é", "a, b", 'say "hi"', "two\nlines", "", " a", "x;y", "p|q", "1", "2.5", "tab\there"]
SIGNS = '",\n\r\t;|a \0é\xff-'


def table(draw):
    """Write a table as programs do: any separator, quoting and line ends."""
    mark = draw.choice(",,,\t;|")
    end = draw.choice(["\n", "\n", "\r\n"])
    out = io.StringIO()
    quoting = draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    writer = csv.writer(out, delimiter=mark, quoting=quoting, lineterminator=end)
    names = ["gold", "pred", "w"] + ["id"] * draw.randint(0, 1) + ["text"] * draw.randint(0, 1)
    order = draw.sample(names, len(names))
    writer.writerow(order)
    plain = draw.random() < 0.5
    for row in range(draw.randint(1, 9)):
        values = {
            "gold": draw.choice(CELLS[:3] if plain else CELLS), "pred": draw.choice(CELLS[:3] if plain else CELLS),
            "w": draw.choice(["1", "2", "0.5", "0.1", "3e2"]), "id": str(draw.choice([row, row, 1])),
            "text": draw.choice(CELLS),
        }  # fmt: skip
        writer.writerow([values[name] for name in order])
    text = out.getvalue()
    return text if draw.random() < 0.8 else text.removesuffix(end)


def damaged(draw, text):
    """Change a few bytes of a table."""
    data = text.encode()
    for _ in range(draw.randint(0, 3)):
        at = draw.randrange(len(data) + 1)
        sign = draw.choice(SIGNS).encode("latin-1")
        how = draw.random()
        if how < 0.3:
            data = data[:at] + data[at + 1 :]
        elif how < 0.65:
            data = data[:at] + sign + data[at:]
        elif how < 0.9:
            data = data[:at] + sign + data[at + 1 :]
        else:
            data = data[: max(1, at)]
    return data


OPTIONS = [{}, {}, {}, {"missing": "drop"}, {"missing": "label"}, {"multilabel": ";"}, {"count": "w"}]


def check(both_ways, path, number):
    """Read one damaged table both ways; say what came out."""
    draw = random.Random(number)  # noqa: S311  # the same cases every time
    data = damaged(draw, table(draw))
    path.write_bytes(data)
    options = draw.choice(OPTIONS)

    def call():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                if draw_group:
                    counted = count_file(path, by="w", **options)
                    found = [(key, part) for key, part in counted.groups], counted.total
                else:
                    found = count_file(path, **options)
                notes = getattr(found, "notes", ())
                return found, notes, {str(warning.message) for warning in caught}
            except MacroF1Error as error:
                return str(error)

    draw_group = draw.random() < 0.15
    in_python, in_polars = both_ways(call)
    assert in_polars == in_python, (number, options, data)
    return "refused" if isinstance(in_python, str) else "read"


def test_damaged_files_are_the_same_to_both(tmp_path, both_ways):
    found = [check(both_ways, tmp_path / "p.csv", number) for number in range(300)]
    assert found.count("read") > 50
    assert found.count("refused") > 50


@pytest.mark.slow
def test_many_damaged_files_are_the_same_to_both(tmp_path, both_ways):
    for number in range(300, 20_000):
        check(both_ways, tmp_path / "p.csv", number)
