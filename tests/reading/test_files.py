"""Opening files: by any name, once, with any compression, and never while they change."""

import bz2
import gzip
import io
import lzma
import os
import sys
import threading
import zipfile
from types import SimpleNamespace

import polars as pl
import pyarrow as pa
import pytest

import macrof1
from macrof1.cli import main
from macrof1.errors import EmptyError, FileError, InputError
from macrof1.reading import tables
from macrof1.reading.files import opened_files
from tests.oracles import count_file

TEXT = b"gold,pred\na,a\na,b\nb,b\n"
COUNTED = [("a", "a", 1), ("a", "b", 1), ("b", "b", 1)]


def zipped(content, *names):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names or ("p.csv",):
            archive.writestr(name, content)
    return packed.getvalue()


def arrow_stream(content):
    frame = pl.read_csv(content).to_arrow()
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, frame.schema) as writer:
        writer.write_table(frame)
    return sink.getvalue()


def parquet(content):
    sink = io.BytesIO()
    pl.read_csv(content).write_parquet(sink)
    return sink.getvalue()


PACKINGS = {
    "plain": TEXT,
    "gzip": gzip.compress(TEXT),
    "several gzips": gzip.compress(TEXT[:12]) + gzip.compress(TEXT[12:]),
    "bzip2": bz2.compress(TEXT),
    "xz": lzma.compress(TEXT),
    "zip": zipped(TEXT),
    "Arrow stream": arrow_stream(TEXT),
    "Parquet": parquet(TEXT),
    "Parquet in gzip": gzip.compress(parquet(TEXT)),
    "Arrow stream in xz": lzma.compress(arrow_stream(TEXT)),
    "blank lines at the end": TEXT + b"\n\r\n\n",
}


@pytest.mark.parametrize("small", [0, 1 << 20])
@pytest.mark.parametrize("content", PACKINGS.values(), ids=PACKINGS)
@pytest.mark.parametrize("name", ["p.csv", "p", "-"])
def test_formats_are_told_by_content(tmp_path, monkeypatch, content, name, small):
    monkeypatch.setattr(tables, "_SMALL", small)
    monkeypatch.setattr(tables, "_SMALL_PACKED", small)
    source = "-" if name == "-" else tmp_path / name
    if name == "-":
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    else:
        source.write_bytes(content)
    assert count_file(source).records() == COUNTED


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "xz", "zip"])
def test_a_flipped_or_lost_byte_is_noticed(tmp_path, kind):
    path = tmp_path / "p.csv"
    pack = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zip": zipped}[kind]
    whole = pack(TEXT * 50)
    for at in range(4, len(whole)):
        for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 0x40]) + whole[at + 1 :]):
            path.write_bytes(damaged)
            try:
                assert count_file(path).n_rows == macrof1.score_file(path).n_rows
            except (FileError, EmptyError, InputError):
                continue
            with opened_files(path) as (file,):  # only a byte that says nothing about the content
                assert file.content() == TEXT * 50


def test_zip_files_of_several_files_are_refused(tmp_path):
    (tmp_path / "p.zip").write_bytes(zipped(TEXT, "a.csv", "b.csv"))
    with pytest.raises(FileError, match="zip file with 2 files"):
        count_file(tmp_path / "p.zip")


def test_the_same_file_under_two_names_is_counted_once(tmp_path, monkeypatch):
    (tmp_path / "p.csv").write_bytes(TEXT)
    (tmp_path / "link.csv").symlink_to(tmp_path / "p.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "p.csv")
    monkeypatch.chdir(tmp_path)
    others = ("p.csv", "./p.csv", str(tmp_path / "p.csv"), "link.csv", "hard.csv", f"../{tmp_path.name}/p.csv")
    for source in (*(["p.csv", other] for other in others), "*.csv"):
        with pytest.raises(FileError, match="named twice"):
            count_file(source)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path):
    path = tmp_path / "p.csv"
    for change in (lambda: path.write_bytes(TEXT + b"b,a\n"), lambda: os.utime(path, ns=(1, 1)), path.unlink):
        path.write_bytes(TEXT)
        with pytest.raises(FileError, match="changed while it was read"), opened_files(path):
            change()


def test_links_that_lead_nowhere_and_names_that_are_none(tmp_path):
    (tmp_path / "link.csv").symlink_to(tmp_path / "gone.csv")
    with pytest.raises(FileError, match=r"is a link to .*gone\.csv, which does not exist"):
        count_file(tmp_path / "link.csv")
    for name in ("x" * 5000, "nul\0byte", ""):
        with pytest.raises(InputError):
            count_file(name)


def test_closed_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(FileError, match="standard input is closed"):
        count_file("-")


PIPED = {
    "score": (TEXT, ["score"]),
    "count": (TEXT, ["count"]),
    "compare": (b"gold,a,b\nx,x,y\ny,y,y\nx,y,x\n", ["compare"]),
    "compare by": (b"run,gold,pred\na,x,x\na,y,x\nb,x,y\nb,y,y\n", ["compare", "--by", "run"]),
    "compare published": (b"run,x P,x R,y P,y R\na,80.1,70,60,50\nb,20,30,40,50\n", ["compare"]),
    "bounds": (TEXT, ["bounds", "--gold", "gold"]),
    "bounds by the usual name": (TEXT, ["bounds"]),
    "audit": (b"run,macro_precision,macro_recall,macro_f1\na,0.5,0.5,0.5\n", ["audit"]),
    "matrix": (b"3,1\n0,2\n", ["score", "--rows", "gold", "--matrix"]),
}


@pytest.mark.parametrize(("content", "command"), PIPED.values(), ids=PIPED)
def test_pipes_are_read_once_by_every_command(tmp_path, content, command, capsys):
    pipe = tmp_path / "pipe"  # it can be read once
    os.mkfifo(pipe)
    thread = threading.Thread(target=pipe.write_bytes, args=(content,), daemon=True)
    thread.start()
    assert main([*command, str(pipe)]) == 0, capsys.readouterr().err
    thread.join(timeout=10)
    assert not thread.is_alive()
