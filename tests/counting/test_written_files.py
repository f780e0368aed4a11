"""Files appear complete or not at all."""

import stat
from pathlib import Path

import pytest

from macrof1.counting.written_files import refuse_foreign, write_whole
from macrof1.errors import FileError

resource = pytest.importorskip("resource", reason="files, links and devices as POSIX has them")


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(FileError, match="file too large"):
            write_whole(path, "new" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_links_stay_links_and_modes_stay(tmp_path):
    path, link = tmp_path / "a.txt", tmp_path / "b.txt"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to("a.txt")
    write_whole(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    (tmp_path / "touched").touch()
    write_whole(tmp_path / "new", "new")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "touched").stat().st_mode
    dangling = tmp_path / "c.txt"
    dangling.symlink_to("d.txt")
    write_whole(dangling, "made")
    assert (tmp_path / "d.txt").read_text() == "made"


@pytest.mark.parametrize("path", ["/dev/full", "/nowhere/x", "/proc/x", ".", "a\0b"])
def test_what_cannot_be_written_is_one_error(path):
    with pytest.raises(FileError, match="cannot write"):
        write_whole(path, "text")


def test_devices_and_lone_surrogates_are_written(tmp_path):
    write_whole("/dev/null", "text")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    write_whole(tmp_path / "a.txt", "x\udcffy")
    assert (tmp_path / "a.txt").read_text() == "x\\udcffy"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("averaged F1  0.5\ngap  0.1\n", "averaged F1  0.75\ngap  0.2\n"),
        (
            "A note.\n\naveraged F1  0.5\n\naveraged_f1|n:2|version:1\n",
            "averaged F1  0.7\n\naveraged_f1|n:3|version:2\n",
        ),
        ("scope,label,f1\nclass,a,0.5\n", "scope,label,f1\nclass,b,0.7\n"),
        ('{\n  "averaged_f1": 0.5\n}\n', '{\n  "averaged_f1": 0.75\n}\n'),
        ("<!doctype html>\n<footer><p>macrof1 0.1, Python 3</p></footer>", "<!doctype html>\n<footer><p>macrof1 0.2"),
        ("", "averaged F1  0.5\n"),
    ],
)
def test_an_earlier_output_is_replaced(tmp_path, old, new):
    (tmp_path / "out").write_text(old)
    refuse_foreign(tmp_path / "out", new)
    refuse_foreign(tmp_path / "other", new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# My notes\n\nWe report averaged F1 averaged_f1|n:2|version:1.\n\nMore.\n", "averaged F1  0.75\n"),
        ("gold,pred\na,a\n", "scope,label,f1\nclass,b,0.7\n"),
        ('{\n  "mine": 1\n}\n', '{\n  "averaged_f1": 0.75\n}\n'),
        ("<!doctype html>\n<p>my page on macrof1</p>", "<!doctype html>\n<footer><p>macrof1 0.2"),
        (b"\xff\xfe\x00binary", "averaged F1  0.5\n"),
    ],
)
def test_what_we_did_not_make_is_refused(tmp_path, old, new):
    path = tmp_path / "out"
    path.write_bytes(old if isinstance(old, bytes) else old.encode())
    with pytest.raises(FileError, match=r"'out' exists and is no earlier output.*force=True replaces it"):
        refuse_foreign(path, new)


def test_what_cannot_be_ours_is_refused_before_any_work(tmp_path):
    (tmp_path / "thesis.md").write_text("# My thesis\n")
    with pytest.raises(FileError, match=r"'thesis\.md' exists"):
        refuse_foreign(tmp_path / "thesis.md")
