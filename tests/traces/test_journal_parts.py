"""Parts and their index: what was written comes back, whatever a kill left, and damage is noticed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults.user_error import UserError
from sealegs.traces import growing_file
from sealegs.traces.folder_urls import folder_url, local_folder, with_urls
from sealegs.traces.growing_file import GrowingFile, aligned_ends, whole_lines
from sealegs.traces.journal_parts import (
    INDEX,
    DamagedParts,
    JournalPart,
    decode_index,
    encode_index,
    is_growing,
    is_plain,
    joined_parts,
    new_part,
    numbered,
    numbered_name,
)

LINES = st.lists(st.binary(max_size=40).map(lambda data: data.replace(b"\n", b" ") + b"\n"), max_size=30)
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x00/"), min_size=1, max_size=12)


def parts_of(chunks: list[bytes], writer: int = 1) -> tuple[list[JournalPart], dict[str, bytes]]:
    """Chunks of a file as parts, and as the objects that hold them."""
    parts = [new_part(writer, number, chunk, ".jsonl") for number, chunk in enumerate(chunks, 1)]
    return parts, {part.name: chunk for part, chunk in zip(parts, chunks, strict=True)}


def reading(objects: dict[str, bytes]):  # type: ignore[no-untyped-def]
    def read(name: str) -> bytes:
        if name not in objects:
            raise FileNotFoundError(name)
        return objects[name]

    return read


@given(st.lists(st.binary(min_size=1)))
def test_parts_join_to_what_was_written(chunks: list[bytes]) -> None:
    parts, objects = parts_of(chunks)
    assert b"".join(joined_parts(parts, reading(objects), "there")) == b"".join(chunks)
    assert b"".join(objects[name] for name in sorted(objects)) == b"".join(chunks), "their names give the order"


@given(st.lists(st.binary(min_size=1), min_size=1), st.data())
def test_a_part_that_is_missing_or_torn_is_noticed(chunks: list[bytes], data: st.DataObject) -> None:
    parts, objects = parts_of(chunks)
    hurt = data.draw(st.sampled_from(parts)).name
    whole = objects.pop(hurt)
    with pytest.raises(DamagedParts, match=f"there/{hurt} is missing"):
        list(joined_parts(parts, reading(objects), "there"))
    torn = data.draw(st.binary(max_size=len(whole) + 2).filter(lambda other: other != whole))
    with pytest.raises(DamagedParts, match=f"there/{hurt} (has|is not what)"):
        list(joined_parts(parts, reading({**objects, hurt: torn}), "there"))


@given(st.dictionaries(NAMES, st.lists(st.binary())))
def test_an_index_is_read_as_it_was_written(files: dict[str, list[bytes]]) -> None:
    journals = {name: parts_of(chunks)[0] for name, chunks in files.items()}
    assert decode_index(encode_index(journals), "there") == journals


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"", "damaged"), (b"[]", "damaged"), (b'{"index": 9}', "of version 9"), (b'{"index": 1, "files": 3}', "damaged")],
)
def test_what_is_no_index_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(UserError, match=f"there/it (is|is of).*{message.split()[-1]}"):
        decode_index(data, "there/it")


@given(st.lists(st.tuples(LINES, st.binary(max_size=10), st.booleans()), max_size=6), st.integers(1, 60))
def test_a_growing_file_comes_back_whatever_the_moments(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[list[bytes], bytes, bool]], most: int
) -> None:
    """After each look the parts are whole lines of the file; after a kill the next writer goes on from them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growing_file, "PART", most)
        file = tmp_path_factory.mktemp("growing") / "episodes.jsonl"
        file.touch()
        objects: dict[str, bytes] = {}
        growing, writer = GrowingFile(file, ".jsonl"), 1
        for lines, half, killed in steps:
            with file.open("ab") as out:
                out.write(b"".join(lines) + half.replace(b"\n", b" "))
            assert not growing.was_changed()
            for part, data in growing.rest(whole_lines(file, growing.size), writer):
                assert part.name not in objects, "no name is given twice"
                objects[part.name] = data
                growing.add(part, data)
            there = b"".join(joined_parts(growing.parts, reading(objects), "there"))
            assert file.read_bytes().startswith(there)
            assert not growing.differs()
            assert b"\n" not in file.read_bytes()[len(there) :], "a whole line is handed over"
            if killed:  # what was not handed over is lost, and made again by the next writer
                file.write_bytes(there)
                growing, writer = GrowingFile(file, ".jsonl").known(growing.parts), writer + 1


def test_a_file_that_was_written_anew_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "episodes.jsonl"
    file.write_bytes(b"one\ntwo\n")
    growing = GrowingFile(file, ".jsonl")
    for part, data in growing.rest(8, 1):
        growing.add(part, data)
    file.write_bytes(b"one\ntWo\nthree\n")
    assert growing.was_changed()
    assert growing.differs()
    growing.begin_anew()
    ((part, data),) = growing.rest(14, 1)
    assert (part.name[:14], data) == ("000001-000002-", b"one\ntWo\nthree\n")


def test_records_and_chain_are_cut_at_one_place(tmp_path: Path) -> None:
    records, chain = tmp_path / "episodes.jsonl", tmp_path / "episodes.jsonl.chain"
    records.write_bytes(b"a\nb\n" + b"c\n" + b"half")
    entries = [{"chain": 1}, {"lines": [1, 2], "end": 4}, {"lines": [3], "end": 6}, {"lines": [4], "end": 12}]
    written = [(json.dumps(entry) + "\n").encode() for entry in entries]
    chain.write_bytes(b"".join(written) + b'{"lines": [5], "en')
    assert aligned_ends(records, chain, 0, 0) == (6, len(b"".join(written[:3])))
    records.write_bytes(b"a\nb\n")
    assert aligned_ends(records, chain, 0, 0) == (4, len(b"".join(written[:2])))
    assert aligned_ends(records, chain, 4, len(b"".join(written[:2]))) == (4, len(b"".join(written[:2])))


def test_what_an_object_is() -> None:
    assert is_growing("a/episodes.jsonl")
    assert is_growing("episodes.jsonl.chain")
    assert not is_growing("train.jsonl")
    names = [numbered_name("", INDEX, 3), numbered_name("a/b", INDEX, 12), "run.json", "x.parts/y"]
    assert [is_plain(name) for name in names] == [False, False, True, True]
    assert not is_plain("a/episodes.jsonl.parts/000001-000001.jsonl")
    assert numbered(names, INDEX) == {"": {3: names[0]}, "a/b": {12: names[1]}}


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("s3://bucket/a", "s3://bucket/a"),
        ("S3://bucket//a/", "s3://bucket/a"),
        (Path("s3://bucket/a"), "s3://bucket/a"),
        (Path("file:///tmp/x"), "file:///tmp/x"),
        (Path("/tmp/x"), ""),
        (Path("x:/y"), ""),
        ("planner", ""),
        ("mockllm/model", ""),
        ("", ""),
    ],
)
def test_which_paths_are_urls(given: Path | str, url: str) -> None:
    assert folder_url(given) == url


def test_a_file_url_is_a_folder_of_this_machine() -> None:
    assert local_folder("file:///tmp/x") == Path("/tmp/x")
    assert local_folder("s3://bucket/x") is None
    assert with_urls("as it is") == "as it is"
