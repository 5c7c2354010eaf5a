"""Records on disk: read back as they were written, whatever happened to the file since."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sealegs.faults.kinds import LogicViolation, LostAck
from sealegs.traces import (
    VERSION,
    AnswerGiven,
    EffectHappened,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    FaultInjected,
    OutcomeShown,
    Store,
    StoreError,
    TimePassed,
    ToolCalled,
    ToolRan,
    build_record,
    read_episodes,
)
from sealegs.traces.events import Reason
from sealegs.traces.store import STREAMED
from tests.inject.staging import plan, rule, staged
from tests.traces.writing import episode

ROOT = Path(__file__).parent.parent.parent
UNSEALED = "episodes.jsonl.chain: the records end before its entries do; 2 were taken back"

# --- Any events

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | NUMBERS | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.text(), JSON, max_size=3)
OUTCOMES = JSON.map(lambda value: {"value": value}) | st.text().map(
    lambda text: {"failure": {"message": text, "type": "ToolError"}}
)
IDS = st.text()
SECONDS = st.none() | NUMBERS
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(ToolCalled, IDS, st.text(), OBJECTS, NUMBERS),
    st.builds(ToolRan, IDS, OUTCOMES, st.booleans()),
    st.builds(
        FaultInjected,
        IDS,
        st.text(),
        st.text(),
        st.booleans(),
        st.booleans(),
        st.integers(),
        SECONDS,
        st.none() | OUTCOMES,
        st.none() | OUTCOMES,
    ),
    st.builds(TimePassed, IDS, SECONDS),
    st.builds(EffectHappened, IDS, st.text(), st.text(), OBJECTS),
    st.builds(OutcomeShown, IDS, st.none() | OUTCOMES, st.integers(), st.booleans(), NUMBERS),
    st.builds(AnswerGiven, st.text()),
)
EPISODES: st.SearchStrategy[list[Event]] = st.builds(
    lambda start, events, end: [start, *events, end],
    st.builds(EpisodeStarted, st.text(), OBJECTS),
    st.lists(EVENTS, max_size=5),
    st.builds(EpisodeEnded, st.sampled_from(get_args(Reason)), st.text(), NUMBERS),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "episodes.jsonl"


def written(path: Path, *episodes: list[Event]) -> Path:
    store = Store(path)
    for events in episodes:
        store.append(events)
    store.close()
    return path


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(episodes=st.lists(EPISODES, max_size=4))
def test_any_events_read_back_equal(path: Path, episodes: list[list[Event]]) -> None:
    path.unlink(missing_ok=True)
    for events in episodes:  # a store for each, as where a run goes on
        written(path, events)
    written(path)
    warnings: list[str] = []
    assert list(read_episodes(path, warnings)) == episodes
    assert warnings == []
    for text in path.read_bytes().split(b"\n")[:-1]:
        assert text.isascii()
        json.loads(text, parse_constant=pytest.fail)


def test_a_real_episode_reads_back_as_its_record(path: Path) -> None:
    stormy = staged(plan(rule(LogicViolation(), at_most=1), rule(LostAck(), at_most=1)))
    for _ in range(3):
        stormy.call()
    found = stormy.record()
    written(path, stormy.recorder.events)
    assert [build_record(events) for events in read_episodes(path)] == [found]


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), b"\xff", {1, 2}, object(), {(1, 2): 3}, 10**5000], ids=range(7)
)
def test_events_that_no_recorder_made_are_still_json(path: Path, value: Any) -> None:
    written(
        path,
        [
            EpisodeStarted("episode", {"odd": value}),
            ToolCalled("call-1", "tool", {"x": value}),
            EpisodeEnded("answered"),
        ],
    )
    for text in path.read_text().splitlines():
        json.loads(text, parse_constant=pytest.fail)
    assert len(list(read_episodes(path))) == 1


# --- Damage


def damaged(path: Path, change: Any) -> Path:
    path.write_bytes(change(written(path, episode("a"), episode("b"), episode("c")).read_bytes()))
    return path


def names(path: Path) -> tuple[list[str], list[str]]:
    """The episodes that can be read, and the warnings about the rest."""
    warnings: list[str] = []
    return [
        events[0].episode for events in read_episodes(path, warnings) if isinstance(events[0], EpisodeStarted)
    ], warnings


@pytest.mark.parametrize("cut", [1, 2, 5, 30])
def test_a_damaged_last_line_is_lost_alone_and_reported(path: Path, cut: int) -> None:
    damaged(path, lambda data: data[:-cut])
    lines = path.read_bytes().count(b"\n") + 1
    found, warnings = names(path)
    assert found == ["a", "b"]
    assert warnings == [
        f"episodes.jsonl: line {lines}, the last, is damaged and is left out",
        "episodes.jsonl: the last episode was cut off and is left out",
    ]


@pytest.mark.parametrize("tail", [b"{", b"\x00" * 40, b"\xff\xfe", b'{"type": "started', b"[" * 100_000, b"not json\n"])
def test_rubbish_at_the_end_is_left_out_and_reported(path: Path, tail: bytes) -> None:
    damaged(path, lambda data: data + tail)
    found, warnings = names(path)
    assert found == ["a", "b", "c"]
    assert len(warnings) == 1
    assert warnings[0].endswith("the last, is damaged and is left out")


def test_without_a_list_the_warning_is_given_by_python(path: Path) -> None:
    damaged(path, lambda data: data + b"{")
    with pytest.warns(UserWarning, match="the last, is damaged"):
        assert len(list(read_episodes(path))) == 3


BAD_LINES = [
    (b"{broken\n", "is not JSON"),
    (b"\xff\xfe\n", "is not JSON"),
    (b"\n", "is not JSON"),
    (b"[" * 100_000 + b"\n", "is not JSON"),
    (b"3\n", "is not an event of a record"),
    (b'{"type": "unheard_of"}\n', "is not an event of a record"),
    (b'{"type": "called", "call": "1", "arguments": {}}\n', r"is not an event of a record \(called\.tool: Field req"),
    (b'{"type": "ended", "reason": "bored"}\n', r"is not an event of a record \(ended\.reason: "),
]


@pytest.mark.parametrize(("bad", "message"), BAD_LINES, ids=range(len(BAD_LINES)))
def test_damage_in_the_middle_is_an_error_that_says_where(path: Path, bad: bytes, message: str) -> None:
    damaged(path, lambda data: data.replace(b"\n", b"\n" + bad, 1))
    with pytest.raises(StoreError, match=rf"runs.episodes\.jsonl: line 2 {message}.*; restore the file or delete it"):
        list(read_episodes(path))


@pytest.mark.parametrize("version", [0, VERSION + 1, "1", None])
def test_a_file_of_another_version_is_refused(path: Path, version: Any) -> None:
    def other(data: bytes) -> bytes:
        return data.replace(f'"version": {VERSION}'.encode(), f'"version": {json.dumps(version)}'.encode())

    damaged(path, other)
    with pytest.raises(StoreError, match=rf"line 1 was written with version {version!r} .* reads version {VERSION}"):
        list(read_episodes(path))


def test_events_outside_an_episode_are_left_out_and_reported(path: Path) -> None:
    written(path, episode("a"), [AnswerGiven("late")], episode("b"), [EpisodeStarted("c", {})], episode("d"))
    found, warnings = names(path)
    assert found == ["a", "b", "d"]
    assert len(warnings) == 2
    assert "belongs to no episode" in warnings[0]
    assert "was cut off" in warnings[1]


def test_an_empty_file_holds_nothing(path: Path) -> None:
    written(path)
    assert list(read_episodes(path)) == []


# --- Going on


@pytest.mark.parametrize("cut", [1, 7, 40])
def test_a_store_cuts_off_a_damaged_end_and_says_so(path: Path, cut: int) -> None:
    damaged(path, lambda data: data[:-cut])
    left = path.read_bytes()
    store = Store(path)
    store.append(episode("d"))
    store.close()
    lost = len(left) - left.rfind(b"\n") - 1
    line = f"episodes.jsonl: the last line was damaged; its {lost} bytes were cut off"
    rest = "episodes.jsonl: the last episode was cut off; what there was of it was removed"
    assert store.notice == f"{line}; {rest}; {UNSEALED}"
    assert names(path) == (["a", "b", "d"], [])


@pytest.mark.parametrize("whole", [1, 2, 3])
def test_a_store_removes_the_whole_lines_of_an_unfinished_episode(path: Path, whole: int) -> None:
    """They would be there twice once the episode is played again."""
    before = written(path, episode("a")).read_bytes()
    lines = written(path, episode("b")).read_bytes()[len(before) :].splitlines(keepends=True)
    assert whole < len(lines)
    path.write_bytes(before + b"".join(lines[:whole]))
    store = Store(path)
    store.close()
    cut = "episodes.jsonl: the last episode was cut off; what there was of it was removed"
    assert store.notice == f"{cut}; {UNSEALED}"
    assert path.read_bytes() == before


def test_what_there_is_of_an_episode_that_was_written_while_it_was_played_stays(path: Path) -> None:
    started, *rest = episode("a")
    assert isinstance(started, EpisodeStarted)
    written(path, [replace(started, about={**started.about, STREAMED: True}), *rest[:-1]])
    before = path.read_bytes()
    Store(path).close()
    assert path.read_bytes() == before
    assert names(path)[0] == ["a"]


@pytest.mark.parametrize("size", [1, 65535, 65536, 65537, 200_000])
def test_a_damaged_end_may_be_long(path: Path, size: int) -> None:
    damaged(path, lambda data: data + b"x" * size)
    written(path, episode("d"))
    assert names(path) == (["a", "b", "c", "d"], [])


def test_a_file_that_is_damaged_from_the_start(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b'{"type": "star')
    written(path, episode("a"))
    assert names(path)[0] == ["a"]


def test_a_whole_file_is_left_as_it_is(path: Path) -> None:
    before = written(path, episode("a")).read_bytes()
    store = Store(path)
    store.close()
    assert store.notice == ""
    assert path.read_bytes() == before


def test_two_writers_are_kept_apart(path: Path) -> None:
    first = Store(path)
    with pytest.raises(StoreError, match="another process is writing to it"):
        Store(path)
    first.close()
    Store(path).close()


def test_an_episode_that_cannot_be_written_leaves_nothing(path: Path) -> None:
    """A disk that is full, played by a limit on the size of files."""
    program = """
        import resource, sys
        from pathlib import Path
        from sealegs.traces import Store
        from tests.traces.writing import episode

        store = Store(Path(sys.argv[1]))
        store.append(episode("a"))
        size = Path(sys.argv[1]).stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 500, resource.RLIM_INFINITY))
        try:
            store.append(episode("b"))
        except OSError as error:
            print(error.strerror)
        assert Path(sys.argv[1]).stat().st_size == size
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        store.append(episode("c"))
    """
    command = [sys.executable, "-c", textwrap.dedent(program), str(path)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == "File too large\n"
    assert names(path) == (["a", "c"], [])


@pytest.mark.parametrize("seed", range(6))
def test_a_killed_writer_loses_only_the_episode_it_was_in(path: Path, seed: int) -> None:
    """Killed at a random moment, three times over; each time another process goes on."""
    draw = random.Random(seed)
    finished: list[str] = []
    for turn in range(3):
        command = [sys.executable, "-m", "tests.traces.writing", str(path), f"round-{turn}"]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            wanted = draw.randrange(1, 60)
            for _ in range(wanted):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL)
            written_before = wanted + len(process.stdout.read().split())
        found, warnings = names(path)
        own = [name for name in found if name.startswith(f"round-{turn}-")]
        assert own == [f"round-{turn}-{index}" for index in range(len(own))]
        assert len(own) >= written_before
        assert found[: len(finished)] == finished
        assert all("is left out" in warning for warning in warnings)
        finished = found
    written(path, episode("last"))
    assert names(path)[0] == [*finished, "last"]


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_file_cut_anywhere_keeps_every_whole_episode(path: Path, data: st.DataObject) -> None:
    """The moments at which a kill can strike, one by one: every length that the file ever had."""
    path.unlink(missing_ok=True)
    whole = written(path, episode("a"), episode("b")).read_bytes()
    first = whole.index(b'{"type": "started"', 1)
    at = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:at])
    kept = ["a"] * (at >= first) + ["b"] * (at == len(whole))
    assert names(path)[0] == kept
    written(path, episode("c"))
    assert names(path)[0] == [*kept, "c"]
