"""How an episode of the proxy ended, as its record says it; what was recorded outlives the proxy."""

import signal
import sys
from pathlib import Path

import pytest

from sealegs.traces import Record, build_record, read_episodes
from tests import needs
from tests.adapters.mcp.piping import cancel, piped, text_of, waited_for

CUT = [{"match": {"tool": "echo"}, "when": {"nth": 2}, "fault": {"kind": "connection", "mode": "reset"}}]


def record(file: Path) -> Record:
    (events,) = read_episodes(file)
    return build_record(events)


@pytest.mark.parametrize(
    ("how", "reason", "detail"),
    [
        ("the client leaves", "answered", "the client left"),
        ("the server dies", "crashed", "the server ended with exit code 7"),
        ("a fault cuts", "answered", "a fault cut the connection"),
        ("a signal ends it", "answered", "SIGTERM"),
        ("it is killed", "crashed", "the record breaks off: its process was killed or its disk full"),
    ],
)
def test_the_record_says_who_ended_it(tmp_path: Path, how: str, reason: str, detail: str) -> None:
    file = tmp_path / "records.jsonl"
    with piped(tmp_path, CUT, "--records", str(file)) as pipes:
        assert text_of(pipes.answer(1, "echo", a=1))
        match how:
            case "the server dies":
                pipes.call(2, "exit", code=7)
            case "a fault cuts":
                pipes.call(2, "echo")
            case "a signal ends it":
                pipes.process.send_signal(signal.SIGTERM)
            case "it is killed":
                pipes.process.kill()
            case _:
                assert pipes.process.stdin is not None
                pipes.process.stdin.close()
        pipes.process.wait(60)
    found = record(file)
    assert (found.end.reason, found.end.detail) == (reason, detail)
    assert found.turns[0].call.tool == "echo"
    assert found.turns[0].shown is not None


@pytest.mark.skipif(sys.platform != "linux", reason=needs.FILE_LIMITS)
@pytest.mark.parametrize("room", [0, 40, 200])
def test_calls_go_on_where_the_record_cannot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """A full disk is no failure of a tool: the client gets its answers, and hears nothing of it."""
    import resource

    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # compiled files that are cut short would stay

    file, events = tmp_path / "records.jsonl", tmp_path / "events.jsonl"
    with piped(tmp_path, None, "--records", str(file), "--events", str(events)) as pipes:
        assert text_of(pipes.answer(1, "echo", a=1))
        limit = file.stat().st_size + room
        resource.prlimit(pipes.process.pid, resource.RLIMIT_FSIZE, (limit, limit))
        for number in (2, 3):
            assert text_of(pipes.answer(number, "echo", a=number))
        assert pipes.end() == 2
    found = record(file)
    assert found.end.detail.startswith("the record breaks off")
    assert [turn.call.arguments for turn in found.turns if turn.shown is not None] == [{"a": 1}]


WAITS = [
    ({"kind": "delay", "seconds": 600.0}, "before"),
    ({"kind": "delay", "seconds": 600.0}, "after"),
    ({"kind": "lost_ack", "seconds": 600.0}, "after"),
    ({"kind": "hang"}, "before"),
]


@pytest.mark.parametrize("how", ["the client leaves", "the client cancels", "the server dies", "a signal ends it"])
@pytest.mark.parametrize(
    ("fault", "moment"), WAITS, ids=lambda given: given["kind"] if isinstance(given, dict) else given
)
def test_a_wait_that_is_cut_off_is_recorded_as_such(
    tmp_path: Path, fault: dict[str, object], moment: str, how: str
) -> None:
    file, events = tmp_path / "records.jsonl", tmp_path / "events.jsonl"
    rules = [{"match": {"tool": "echo"}, "moment": moment, "fault": fault}]
    with piped(tmp_path, rules, "--records", str(file), "--events", str(events)) as pipes:
        pipes.call(1, "echo", a=1)
        assert waited_for(lambda: events.exists() and b'"waited"' in events.read_bytes())
        match how:
            case "the client cancels":
                pipes.write(cancel(1))
                assert waited_for(lambda: b'"struck"' in events.read_bytes())
                pipes.end()
            case "the server dies":
                pipes.call(2, "exit", code=7)
            case "a signal ends it":
                pipes.process.send_signal(signal.SIGTERM)
            case _:
                pipes.end()
        pipes.process.wait(60)
    turn = record(file).turns[0]
    (injection,) = turn.injections
    assert (turn.shown, injection.shown, injection.cut_off, injection.moment) == (None, None, True, moment)
    assert (injection.said is not None, turn.said is not None) == (moment == "after",) * 2, (
        "the tool's own answer is kept"
    )
    assert injection.waited is not None
    assert 0 < injection.waited < 60, "as long as the client bore it, not what was planned"
