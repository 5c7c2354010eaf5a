"""How an episode of the proxy ended, as its record says it; what was recorded outlives the proxy."""

import signal
from pathlib import Path

import pytest

from sealegs.traces import Record, build_record, read_episodes
from tests.adapters.mcp.piping import piped, text_of

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
        ("it is killed", "crashed", "the record breaks off: the process was killed"),
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
