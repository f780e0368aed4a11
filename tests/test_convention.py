"""Signatures: the same line for the same class set, unit and policy, and for nothing else."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import macrof1
from macrof1.convention import CLASS_SETS, FORMULAS, UNDEFINED
from macrof1.counting.saved import load_counts, save_counts
from macrof1.errors import InputError

# What could be mistaken for another label, for several, or for the end of a field or of the line.
TRAPS = [
    "a", "b", "A", "a,b", "a|b", "(a)", "[", "]", "a)", '"', "a b", " a", "", "1", "01", "-1", "1.0", "1e3", "True",
    "true", "None", "null", "nan", "x:y", "#af9d49e5", "\\u007c", "%7C", "é", "e\u0301", "\u0430", "\u2028", "\x00",
    "x\ny", "𝟙", 0, 1, -1, 10**25, True, False, 0.0, -0.0, 1.0, 2.0**70, None,
]  # fmt: skip
LABELS = st.sampled_from(TRAPS) | st.text(max_size=4) | st.integers()
CLASSES = st.lists(LABELS, min_size=1, max_size=60, unique_by=lambda label: (type(label), label))


def kinds(labels):
    return frozenset((type(label), label) for label in labels)


@st.composite
def calls(draw):
    """Return the options of a call, and all that its signature must tell apart."""
    seen = draw(CLASSES)
    listed = draw(st.none() | CLASSES)
    exclude = draw(st.lists(st.sampled_from(listed or seen), max_size=3, unique_by=lambda label: (type(label), label)))
    policy = {
        "classes": draw(st.sampled_from(CLASS_SETS)),
        "undefined": draw(st.sampled_from(UNDEFINED)),
        "beta": draw(st.sampled_from([1.0, 2.0, 0.5, 1 / 3, 1e-9])),
        "missing": draw(st.sampled_from(["label", "drop"])),
        "outside": draw(st.sampled_from(["wrong", "drop", "class"])),
        "sample_weight": draw(st.sampled_from([None, "all"])),
        "formula": draw(st.sampled_from(FORMULAS)),
        "cluster": draw(st.sampled_from([None, 2, 3])),
    }
    return seen, listed, exclude, policy


def signed(seen, listed, exclude, policy):
    """Score rows that are all right, and return the result with what its signature must say."""
    options = dict(policy)
    formula = options.pop("formula")
    rows = seen * 3
    weights = [1.0] * len(rows) if options.pop("sample_weight") else None
    n_clusters = options.pop("cluster")
    cluster = None if n_clusters is None else [row % n_clusters for row in range(len(rows))]
    result = macrof1.score(
        rows, rows, labels=listed, exclude=exclude, sample_weight=weights, cluster=cluster, **options
    )
    line = result.signature(formula)
    dropped = policy["missing"] == "drop" and None in seen
    answers = [label for label in seen if label is not None or not dropped]
    inside = kinds(answers if listed is None else listed)
    share = 0.0 if listed is None else sum(kind not in inside for kind in kinds(answers)) / len(answers)
    # Answers outside the class set are reported with their share.
    used = listed is not None and (share > 0 or policy["outside"] != "wrong")
    facts = (
        (policy["outside"], f"{share:.4f}") if used else None,
        formula, policy["undefined"], policy["beta"], weights is not None, dropped, n_clusters,
        kinds(exclude), kinds(record.label for record in result.per_class), result.classes,
    )  # fmt: skip
    return result, line, facts


@settings(max_examples=150, deadline=None)
@given(calls(), calls(), st.data())
def test_signatures_are_equal_where_class_set_and_policy_are(first, second, data):
    # The second call differs in a few things only, so that single differences are tried, too.
    fields = data.draw(st.sets(st.integers(0, 2)))
    mixed = [second[at] if at in fields else first[at] for at in range(3)]
    changed = data.draw(st.sets(st.sampled_from(sorted(first[3]))))
    policy = {name: (second if name in changed else first)[3][name] for name in first[3]}
    try:
        _, line, facts = signed(*first)
        _, other, others = signed(*mixed, policy)
    except InputError:
        assume(False)
    assert (line == other) == (facts == others)


@settings(max_examples=80, deadline=None)
@given(calls())
def test_signatures_read_back_whole(call):
    try:
        result, line, _ = signed(*call)
    except InputError:
        assume(False)
    assert len(line.splitlines()) == 1
    assert line.isprintable()
    found = macrof1.Signature.parse(line)
    assert str(found) == line
    assert found.convention == macrof1.Convention.parse(line)
    assert kinds(found.convention.exclude) == kinds(call[2])
    assert (found.n_classes, found.convention.beta) == (result.n_classes, call[3]["beta"])


TAGS = st.lists(st.sampled_from(["O", "B-x", "I-x", "E-x", "S-x", "B-y", "I-y"]), min_size=1, max_size=6)
READINGS = st.tuples(st.sampled_from(["iob2", "iob1", "ioe", "iobes", "bilou"]), st.sampled_from(["conll", "strict"]))


@given(TAGS, READINGS, READINGS)
def test_entities_are_signed_with_unit_scheme_and_mode(tags, first, second):
    lines = []
    for scheme, mode in (first, second):
        try:
            counts = macrof1.count_spans([tags], [tags], scheme=scheme, mode=mode, labels=["x", "y"])
        except InputError:
            assume(False)
        lines.append(macrof1.score_counts(counts).signature())
        assert f"|spans:{scheme}-{mode}|unit:entities|" in lines[-1]
        assert str(macrof1.Signature.parse(lines[-1])) == lines[-1]
    assert (lines[0] == lines[1]) == (first == second)


def test_entities_are_signed_alike_from_tags_files_and_sums(tmp_path):
    tags = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "I-PER", "O", "O"]]
    path = tmp_path / "entities.conll"
    path.write_text("\n\n".join("\n".join(f"word {tag} {tag}" for tag in each) for each in tags) + "\n")
    for mode in ("conll", "strict"):
        whole = macrof1.count_spans(tags, tags, mode=mode)
        parts = [macrof1.count_spans([each], [each], mode=mode, labels=["LOC", "PER"]) for each in tags]
        line = macrof1.score_counts(whole).signature()
        assert macrof1.score_counts(sum(parts)).signature() == line.replace("union", "listed")
        assert macrof1.score_file(path, spans=True, mode=mode).signature() == line
    given = macrof1.count_spans([[(0, 2, "PER")]], [[(0, 2, "PER")]], scheme="iobes", mode="strict")
    assert "|spans:offsets|" in macrof1.score_counts(given).signature()
    with pytest.raises(macrof1.InputError, match=r"iob2-conll.*iob2-strict.*made in one way"):
        macrof1.count_spans(tags, tags) + macrof1.count_spans(tags, tags, mode="strict")


def test_saved_entities_keep_how_they_were_found(tmp_path):
    tags = [["B-PER", "O"], ["I-PER", "O"]]
    paths = [tmp_path / f"{mode}.counts.json" for mode in ("conll", "strict")]
    for path in paths:
        save_counts(macrof1.count_spans(tags, tags, mode=path.name.split(".")[0]), path)
        saved = macrof1.score_counts(load_counts([path, path]))
        assert f"|spans:iob2-{path.name.split('.')[0]}|" in saved.signature()
    with pytest.raises(macrof1.InputError, match="made in different ways"):
        load_counts(paths)
    old = paths[0].read_text().replace(', "spans": "iob2-conll"', "")
    paths[0].write_text(old)
    assert "|unit:entities|" in macrof1.score_counts(load_counts(paths[0])).signature()
