"""Results in one line when they are printed, and as charts."""

import polars as pl
import pytest

import macrof1

GOLD, PRED, OTHER = list("aabbcbca") * 6, list("abbbcbaa") * 6, list("aabbccaa") * 6
FRAME = pl.DataFrame({"gold": GOLD, "pred": PRED, "fold": [place % 3 for place in range(48)]})


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (macrof1.score_groups(FRAME, gold="gold", pred="pred", by="fold"),
         "3 groups by fold: averaged F1 0.7302 over all rows, 0.7302 on average; "
         "F1 of averages 0.7616 over all rows, 0.7616 on average"),
        (macrof1.compare(GOLD, {"one": PRED, "other": OTHER}),
         "2 systems: one is first under averaged F1 (0.7302), one is first under F1 of averages (0.7616); "
         "0 of 1 pair flip"),
        (macrof1.bounds(n_classes=3),
         "averaged F1 0.0000 to 1.0000, F1 of averages 0.0000 to 1.0000, gap 0.0000 to 0.4444: "
         "the supremum is approached and never reached"),
        (macrof1.identify(GOLD, PRED, "0.7286"), None),
        (macrof1.score(GOLD, PRED), None),
        (macrof1.audit(precision="0.5", recall="0.5", f1="0.4"), None),
    ],
)  # fmt: skip
def test_a_result_is_one_line_when_it_is_printed(result, line):
    assert len(str(result).splitlines()) == 1
    assert len(str(result)) < 250
    assert "Result(" not in str(result)
    assert line is None or str(result) == line


def test_charts_of_results_are_altairs():
    pytest.importorskip("altair")
    result = macrof1.score(GOLD, PRED)
    first, second = result.plot(), result.plot(2)
    assert first.to_dict() != second.to_dict()
    assert macrof1.compare(GOLD, {"one": PRED, "other": OTHER}).plot().to_dict()["$schema"]
    with pytest.raises(macrof1.InputError, match="a whole number from 1 to"):
        result.plot(99)
    with pytest.raises(macrof1.InputError, match="BoundsResult has no chart"):
        macrof1.bounds(n_classes=3).plot()


def test_ten_definitions_at_most_are_listed():
    from macrof1.reporting.rendering import document, render

    found = macrof1.identify(GOLD, PRED, "0.7")
    assert len(found.matches) > 10
    text = render(document(found), "text")
    assert f"The 10 most common are listed, of {len(found.matches)}" in " ".join(text.split())
    assert sum("averaged_f1" in line or "f1" in line for line in text.splitlines()[4:]) <= 10 + 5 + 10
    assert len(render(document(found), "csv").splitlines()) == 1 + len(found.matches) + len(found.nearest)
