"""What the fuzzer departs from is sound, what it has found is refused, and some of what it would try is tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import needs
from tests.fuzz import targets
from tests.fuzz.mutation import Mutation
from tests.fuzz.seeds import SEEDS

pytest.importorskip("aiohttp", reason=needs.module("aiohttp"))
pytest.importorskip("zstandard", reason=needs.module("zstandard"))

FOUND = Path(__file__).parent / "found"
MANY = 60  # of each target; the fuzzer tries a million


def cut(raw: bytes) -> bytes:
    return raw[: len(raw) // 2]


@pytest.mark.parametrize("target", targets.TARGETS)
def test_what_it_departs_from_is_sound(target: str) -> None:
    for number, seed in enumerate(SEEDS[target]()):
        assert targets.read(target, seed.encode()), number


@pytest.mark.parametrize("file", sorted(FOUND.glob("*/*")), ids=lambda file: f"{file.parent.name}-{file.name}")
def test_what_was_found_is_read_or_refused(file: Path) -> None:
    targets.read(file.parent.name, file.read_bytes())


@pytest.mark.parametrize("target", targets.TARGETS)
def test_changed_input_is_read_or_refused(target: str) -> None:
    seeds = [seed.encode() for seed in SEEDS[target]()]
    mutation = Mutation(seeds)
    inputs = [mutation.changed(seeds[number % len(seeds)], number, cut) for number in range(MANY)]
    accepted = sum(targets.read(target, data) for data in inputs)
    assert accepted >= MANY // 10, "what is refused at once reaches little"
    assert accepted < MANY or target == "mcp-frames", "a line that is no message passes"
