"""Streams by name: the same everywhere, and fixed for good."""

from __future__ import annotations

import hashlib
import math
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest

from sealegs.faults import seeds

# Changing these changes the faults of every plan that was ever run: it needs a new version of the plan format.
DIGEST = 8848088965601632083
UNIFORM = 0.47965586394251536
SEQUENCE = [0.701052514041685, 0.3259247656090156, 0.96197770617432]
DRAWS = [0.6196100408314485, 0.10652589579069627]
PRINTED = (
    "from sealegs.faults import seeds, plan_from\n"
    "from sealegs.faults.triggers import Burst, Probability\n"
    "print(seeds.digest(7, 'e', 'tool', 'rule-1', 3), seeds.uniform('a', 1), seeds.stream('x').random())\n"
    "key = seeds.joined(7, 'e', 'tool', 'rule-1')\n"
    "print([n for n in range(200) if Probability(0.3).fires(n, key)])\n"
    "print([n for n in range(200) if Burst(probability=0.05, length=3).fires(n, key)])\n"
    "rule = {'match': {'argument': {'name': 'a', 'equals': {'x': 1, 'y': 2}}}, 'fault': {'kind': 'error'}}\n"
    "print(plan_from({'name': 'p', 'rules': [rule]}).digest())\n"
)


def test_known_values() -> None:
    assert seeds.digest(7, "episode", "tool", "rule-1", 3) == DIGEST
    assert seeds.uniform(7, "episode", "tool", "rule-1", 3) == UNIFORM
    assert [seeds.uniform_at("7\x1fepisode\x1ftool\x1frule-1", nth, "probability") for nth in (0, 7, 8)] == SEQUENCE
    stream = seeds.stream("x", 1)
    assert [stream.random(), stream.random()] == DRAWS


def test_hash_seeds_and_processes_do_not_matter() -> None:
    def printed(hash_seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        run = [sys.executable, "-c", PRINTED]
        return subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stdout

    first = printed("1")
    assert len(first.splitlines()) == 4
    assert first == printed("4242")


PARTS = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x1f")), min_size=1)


@given(PARTS, PARTS)
def test_parts_are_told_apart(key: list[str], other: list[str]) -> None:
    assert (seeds.digest(*key) == seeds.digest(*other)) == (key == other)


@given(st.text(), st.integers(0), st.text())
def test_eight_numbers_of_a_sequence_are_the_parts_of_one_hash(beginning: str, nth: int, name: str) -> None:
    block, place = divmod(nth, 8)
    text = "\x1f".join([beginning, name, str(block)])
    hashed = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=64).hexdigest()
    bits = int(hashed[16 * place : 16 * (place + 1)], 16)
    assert seeds.uniform_at(beginning, nth, name) == float(Fraction(bits // 2**11, 2**53))


def test_numbers_of_sequences_are_uniform_and_independent() -> None:
    rows = [[seeds.uniform_at(f"stream {row}", nth, "probability") for nth in range(32)] for row in range(4000)]
    assert kstest([number for row in rows for number in row], "uniform").pvalue > 1e-4
    # Each place against each, within a block and across: 496 pairs.
    correlations = np.corrcoef(rows, rowvar=False)[np.triu_indices(32, 1)]
    assert kstest(correlations * math.sqrt(len(rows)), "norm").pvalue > 1e-4
    # The whole of a block: which of its eight numbers are below a half.
    patterns = [sum((number < 0.5) << place for place, number in enumerate(row[:8])) for row in rows]
    assert chisquare(np.bincount(patterns, minlength=256)).pvalue > 1e-4
    # Sequences whose names differ in one sign.
    assert abs(np.corrcoef(np.ravel(rows[:-1]), np.ravel(rows[1:]))[0, 1]) < 4 / math.sqrt(32 * len(rows))


@given(st.text(), st.integers(0, 10**6), st.text(), st.floats(0, 1))
def test_looking_ahead_compares_the_same_numbers(beginning: str, nth: int, name: str, share: float) -> None:
    number = seeds.uniform_at(beginning, nth, name)
    for bound in (share, 0.0, 1.0, number, math.nextafter(number, 0), math.nextafter(number, 1)):
        found = seeds.spared(beginning, name, bound)(nth)
        assert (found == 0) == (number < bound)
        assert all(seeds.uniform_at(beginning, nth + later, name) >= bound for later in range(found))


def test_looking_ahead_goes_as_far_as_calls_came_before_and_no_further() -> None:
    spared = seeds.spared("beginning", "name", 0.0)
    found = {nth: spared(nth) for nth in (0, 3, 7, 8, 42, 99, 128, 123_456)}
    assert found == {0: 8, 3: 5, 7: 1, 8: 16, 42: 46, 99: 101, 128: 136, 123_456: 136}


@given(PARTS)
def test_a_uniform_number_is_in_its_range(key: list[str]) -> None:
    assert 0 <= seeds.uniform(*key) < 1


def test_uniform_numbers_are_uniform() -> None:
    assert kstest([seeds.uniform("k", index) for index in range(5000)], "uniform").pvalue > 1e-4


def test_streams_do_not_share_state() -> None:
    first, second = seeds.stream("a"), seeds.stream("a")
    first.random()
    assert second.random() == seeds.stream("a").random()


@given(st.lists(st.text() | st.integers() | st.none(), min_size=1), st.lists(st.text(), min_size=1))
def test_a_joined_beginning_names_the_same_stream(beginning: list[object], rest: list[str]) -> None:
    assert seeds.digest(seeds.joined(*beginning), *rest) == seeds.digest(*beginning, *rest)
    assert seeds.joined_digest(seeds.joined(*beginning)) == seeds.digest(*beginning)


@given(st.text(max_size=5), st.integers(0, 10**6), st.text(max_size=5))
def test_a_beginning_that_is_hashed_once_gives_the_same_digests(beginning: str, number: int, name: str) -> None:
    digest_of = seeds.numbered_digests(beginning, name)
    for one in (number, 0, number):
        assert digest_of(one) == seeds.digest(beginning, one, name)
