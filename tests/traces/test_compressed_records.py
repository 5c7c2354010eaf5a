"""Compressed records give every byte of the plain ones from any place on, to us and to gzip, and damage is told."""

from __future__ import annotations

import gzip
import io
import os
import random
import shutil
import subprocess
from collections.abc import Callable
from io import BufferedReader
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sealegs.faults.user_error import UserError
from sealegs.traces import Store, StoreError, read_episodes
from sealegs.traces.atomic_files import write_atomically
from sealegs.traces.chain_check import check_chain, check_chains
from sealegs.traces.compressed_blocks import LAST, UNPACKED, CompressionError, block_index, packed_blocks
from sealegs.traces.episode_ranges import FILE_BEGINS, divide_records
from sealegs.traces.record_chain import chain_file
from sealegs.traces.record_files import (
    compressed_form,
    open_compressed,
    open_records,
    plain_form,
    records_exist,
    records_size,
)
from sealegs.traces.sources import TraceError, read_traces
from sealegs.traces.store import read_placed_episodes
from tests import needs
from tests.traces.writing import episode

LONGEST = 3 * UNPACKED + 7
NOISE = random.Random(7).randbytes(LONGEST)  # cannot be packed at all
LINES = b"".join(b'{"n": %d, "text": "%s"}\n' % (n, b"a" * (n % 61)) for n in range(9_000))[:LONGEST]
assert len(LINES) == LONGEST
EDGES = [edge + more for edge in (0, UNPACKED, 2 * UNPACKED, 3 * UNPACKED) for more in (-1, 0, 1) if edge + more >= 0]
PLACES = st.integers(0, LONGEST + 9) | st.sampled_from(EDGES)


def packed(data: bytes) -> bytes:
    return b"".join(packed_blocks(io.BytesIO(data)))


def compressed(path: Path, data: bytes) -> Path:
    """Put the compressed form of these bytes where the plain file would be."""
    compressed_form(path).write_bytes(packed(data))
    return path


def contents(file: Path, opened: Callable[[Path], BufferedReader] = open_records) -> bytes:
    with opened(file) as found:
        return found.read()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("packed")


@settings(max_examples=60, deadline=None)
@example(source=LINES, length=0, reads=[(0, 10)])
@example(source=LINES, length=UNPACKED, reads=[(0, UNPACKED + 1), (UNPACKED, 1)])
@example(source=NOISE, length=LONGEST, reads=[(UNPACKED - 1, 2), (0, LONGEST)])
@given(
    source=st.sampled_from([LINES, NOISE]),
    length=PLACES,
    reads=st.lists(st.tuples(PLACES, st.integers(0, 2 * UNPACKED)), min_size=1, max_size=8),
)
def test_any_place_reads_as_in_the_plain_file(
    folder: Path, source: bytes, length: int, reads: list[tuple[int, int]]
) -> None:
    data = source[:length]
    file = compressed(folder / f"{length}-{len(reads)}-{source is LINES}.jsonl", data)
    assert gzip.decompress(compressed_form(file).read_bytes()) == data
    plain = io.BytesIO(data)
    with open_records(file) as found:
        for place, size in reads:
            assert found.seek(place) == plain.seek(place)
            assert found.read(size) == plain.read(size)
            assert found.tell() == plain.tell()
            assert found.readline() == plain.readline()
        assert found.seek(0, io.SEEK_END) == len(data)
        found.seek(reads[0][0])
        plain.seek(reads[0][0])
        assert list(found) == list(plain)
    assert records_size(file) == len(data)


def test_gzip_restores_the_file(tmp_path: Path) -> None:
    if not (shutil.which("zcat") and shutil.which("gunzip")):
        pytest.skip(needs.reason("gzip", "install it"))
    file = compressed(tmp_path / "episodes.jsonl", LINES)
    told = subprocess.run(["zcat", str(compressed_form(file))], capture_output=True, check=True)
    assert (told.stdout, told.stderr) == (LINES, b"")
    subprocess.run(["gunzip", str(compressed_form(file))], check=True)
    assert file.read_bytes() == LINES


def test_the_format_is_that_of_bgzip() -> None:
    data = packed(LINES)
    assert data.endswith(LAST)
    assert gzip.decompress(LAST) == b""
    place = 0
    while place < len(data):
        assert data[place : place + 4] == b"\x1f\x8b\x08\x04"
        assert data[place + 10 : place + 16] == b"\x06\x00BC\x02\x00"
        length = int.from_bytes(data[place + 16 : place + 18], "little") + 1
        assert len(gzip.decompress(data[place : place + length])) <= UNPACKED
        place += length
    assert place == len(data)


def test_blocks_of_other_writers_are_read(tmp_path: Path) -> None:
    """Of any size, with blocks of nothing between them, as where such files were joined."""
    pieces = [LINES[:100], b"", LINES[100:5_000], LINES[5_000:70_000], b"", b""]
    file = tmp_path / "episodes.jsonl.gz"
    file.write_bytes(b"".join(map(packed, pieces)))
    with open_compressed(file) as found:
        assert found.read() == LINES[:70_000]
        for place in (0, 99, 100, 101, 4_999, 5_000, 69_999):
            found.seek(place)
            assert found.read(3) == LINES[place : min(place + 3, 70_000)]


def test_the_plain_file_counts_where_both_are_there(tmp_path: Path) -> None:
    file = compressed(tmp_path / "episodes.jsonl", b"old\n")
    assert records_exist(file)
    assert records_exist(compressed_form(file))
    file.write_bytes(b"new and longer\n")
    assert contents(file) == contents(compressed_form(file)) == b"new and longer\n"
    assert records_size(file) == 15
    assert contents(compressed_form(file), open_compressed) == b"old\n"


def test_only_records_have_two_forms(tmp_path: Path) -> None:
    assert plain_form(tmp_path / "a.jsonl.gz") == tmp_path / "a.jsonl"
    assert compressed_form(tmp_path / "a.jsonl.gz") == compressed_form(tmp_path / "a.jsonl") == tmp_path / "a.jsonl.gz"
    (tmp_path / "trace").write_bytes(b"no")
    (tmp_path / "trace.gz").write_bytes(b"own")
    assert contents(tmp_path / "trace.gz") == b"own"
    with pytest.raises(FileNotFoundError, match=r"nothing\.jsonl"):
        open_records(tmp_path / "nothing.jsonl")
    assert records_size(tmp_path / "nothing.jsonl") == 0
    assert not records_exist(tmp_path / "nothing.jsonl")


# --- Damage


def test_a_file_that_is_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    data, file = packed(LINES), tmp_path / "episodes.jsonl"
    ends = [0, 1, 17, 18, 19, 5_000, len(data) - len(LAST) - 1, len(data) - len(LAST), len(data) - 1]
    for end in ends:
        compressed_form(file).write_bytes(data[:end])
        with pytest.raises(CompressionError, match=r"episodes\.jsonl\.gz breaks off.*; restore the file or delete it"):
            open_records(file)


def test_a_changed_byte_is_found(tmp_path: Path) -> None:
    data, file = bytearray(packed(LINES)), tmp_path / "episodes.jsonl"
    drawn, told = random.Random(3), []
    for place in {*range(18), *range(len(data) - 40, len(data)), *(drawn.randrange(len(data)) for _ in range(300))}:
        changed = bytearray(data)
        changed[place] ^= 1 << drawn.randrange(8)
        compressed_form(file).write_bytes(changed)
        os.utime(compressed_form(file), ns=(place, place))
        try:
            assert contents(file) == LINES  # times and systems in headers say nothing of the contents
        except CompressionError as error:
            told.append(str(error))
    assert len(told) > 300
    assert all(one.startswith(str(compressed_form(file))) for one in told)


@pytest.mark.parametrize("data", [gzip.compress(LINES), b"plain text, and no gzip\n" * 20, b"\0" * 100])
def test_another_format_is_refused_with_the_remedy(tmp_path: Path, data: bytes) -> None:
    compressed_form(tmp_path / "episodes.jsonl").write_bytes(data)
    with pytest.raises(CompressionError, match=r"is not in blocks, as `sealegs compress` packs; unpack it \(gunzip "):
        open_records(tmp_path / "episodes.jsonl")


def test_a_block_that_lies_about_its_size_takes_no_memory(tmp_path: Path) -> None:
    data = bytearray(packed(bytes(UNPACKED)))
    end = len(data) - len(LAST)
    data[end - 4 : end] = (10).to_bytes(4, "little")
    compressed_form(tmp_path / "episodes.jsonl").write_bytes(data)
    with pytest.raises(CompressionError, match="the block at byte 0 is damaged"):
        contents(tmp_path / "episodes.jsonl")


def test_an_index_is_of_the_file_that_is_there(tmp_path: Path) -> None:
    file = compressed(tmp_path / "episodes.jsonl", LINES)
    assert block_index(compressed_form(file)) is block_index(compressed_form(file))
    write_atomically(compressed_form(file), packed(LINES[:77]))
    assert contents(file) == LINES[:77]


# --- Records


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A file of a hundred episodes, with its chain."""
    file = tmp_path / "plain" / "episodes.jsonl"
    store = Store(file)
    for number in range(100):
        store.append(episode(f"e-{number}"))
    store.close()
    return file


@pytest.fixture
def small(records: Path, tmp_path: Path) -> Path:
    """The same, compressed."""
    shutil.copytree(records.parent, tmp_path / "small")
    file = compressed(tmp_path / "small" / "episodes.jsonl", records.read_bytes())
    file.unlink()
    return file


def test_records_are_read_as_the_plain_ones(records: Path, small: Path) -> None:
    whole = list(read_placed_episodes(records, []))
    assert len(whole) == 100
    for file in (small, compressed_form(small)):
        assert list(read_placed_episodes(file, [])) == whole
    assert read_traces([small]) == read_traces([records]) == read_traces([compressed_form(small)])
    ranges = list(divide_records(records, FILE_BEGINS, 7))
    assert list(divide_records(small, FILE_BEGINS, 7)) == ranges
    for within, _ in ranges:
        assert [*read_placed_episodes(small, [], within)] == [*read_placed_episodes(records, [], within)]


def test_a_damaged_last_line_is_left_out_as_ever(records: Path, small: Path) -> None:
    cut = records.read_bytes()[:-30]
    compressed(small, cut)
    notes: list[str] = []
    assert len(list(read_episodes(small, notes))) == 99
    assert "the last, is damaged and is left out" in notes[0]


def test_the_chain_is_checked(records: Path, small: Path) -> None:
    assert check_chain(small).state == "whole"
    assert [one.sentence() for one in check_chains(small.parent)] == [check_chain(small).sentence()]
    assert check_chains(compressed_form(small)) == check_chains(small)
    compressed(small, records.read_bytes().replace(b'"e-7"', b'"e-8"', 1))
    assert "altered: line" in check_chain(small).sentence()
    compressed_form(small).unlink()
    assert check_chain(small).problems == ("cut: all of it is missing",)


def test_damage_is_told_like_any_other(small: Path) -> None:
    file = compressed_form(small)
    file.write_bytes(file.read_bytes()[:-300])
    (found,) = check_chains(small.parent)
    assert (found.state, found.lines) == ("changed", 0)
    assert "episodes.jsonl.gz breaks off" in found.sentence()
    chain_file(small).unlink()
    assert check_chains(small.parent) == [found]
    with pytest.raises(StoreError, match="breaks off"):
        list(read_episodes(small, []))
    with pytest.raises(TraceError, match="breaks off"):
        read_traces([small])


def test_nothing_is_appended_to_a_compressed_file(small: Path) -> None:
    before = {file: file.read_bytes() for file in small.parent.iterdir()}
    with pytest.raises(
        UserError, match=r"is compressed, and nothing can be appended.*\(gunzip .*episodes\.jsonl\.gz\)"
    ):
        Store(small)
    for name in ("episodes.jsonl.gz", "another.jsonl.gz"):
        with pytest.raises(UserError, match=r"jsonl\.gz is the name of a compressed file.*; name another file"):
            Store(small.with_name(name))
    assert {file: file.read_bytes() for file in small.parent.iterdir()} == before
