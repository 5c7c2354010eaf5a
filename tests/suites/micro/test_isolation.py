"""Each run in a process of its own: what it did is reported as it was, and no other run sees any of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sealegs.faults.user_error import UserError
from sealegs.suites.micro.isolation import RunEnd, RunLimits, RunRequest, run_all
from tests import needs
from tests.suites.micro import isolated_runs

HERE = "tests.suites.micro"
ACT = f"{HERE}.isolated_runs:act"


def run_request(name: str, act: str, **payload: Any) -> RunRequest:
    return RunRequest(name, {"act": act, **payload})


def new_mark() -> str:
    """Digits that tell the processes of one test."""
    return str(time.time_ns())


def ends(*requests: RunRequest, limits: RunLimits | None = None, jobs: int = 4, **more: Any) -> dict[str, RunEnd]:
    return {end.id: end for end in run_all(ACT, requests, limits=limits, jobs=jobs, **more)}


def test_what_a_function_returns_comes_back() -> None:
    requests = [run_request(f"r{number}", "fine", value={"n": [number, "é", None]}) for number in range(6)]
    found = run_all(ACT, requests, jobs=2)
    assert [end.id for end in found] == [request.id for request in requests]
    assert all(end.how == "finished" and end.start == "fork" and end.error == "" for end in found)
    results = [end.result or {} for end in found]
    assert [result["got"] for result in results] == [request.payload["value"] for request in requests]
    assert len({result["pid"] for result in results}) == 6
    assert all(0 < end.start_seconds < 5 and 0 <= end.seconds < 5 and end.threads == 0 for end in found)


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_no_run_sees_what_another_left(start: str) -> None:
    preload = [f"{HERE}.threaded_import"] if start == "spawn" else []
    notes: list[str] = []
    order = [run_request("first", "what_is_seen"), run_request("dirty", "pollute"), run_request("again", "pollute")]
    found = ends(*order, run_request("last", "what_is_seen"), jobs=1, preload=preload, tell=notes.append)
    assert {end.how for end in found.values()} == {"finished"}, found
    assert {end.start for end in found.values()} == {start}
    assert len(notes) == (start == "spawn")
    first = found["first"].result
    assert first is not None
    assert first["folder"] == ["runs.db"] or first["folder"] == []
    assert [found[name].result for name in ("dirty", "again", "last")] == [first] * 3
    assert found["dirty"].threads == 1 + (start == "spawn")


def test_random_state_comes_from_the_id_alone() -> None:
    requests = [run_request("a", "drawn"), run_request("b", "drawn")]
    once, twice = (ends(*order, preload=["numpy"]) for order in (requests, requests[::-1]))
    assert {end.start for end in once.values()} == {"fork"}
    for name in ("a", "b"):
        one, other = dict(once[name].result or {}), dict(twice[name].result or {})
        assert one["numpy"] is not None
        for result in (one, other):
            environment = result.pop("environment")
            assert environment.pop("TMPDIR") != tempfile.gettempdir()
            kept = {key: value for key, value in os.environ.items() if key != "TMPDIR"}
            assert environment == {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"} | kept
        assert one == other
        assert one["stdin"] == ""
    drawn = [once[name].result or {} for name in ("a", "b")]
    assert drawn[0]["random"] != drawn[1]["random"]
    assert drawn[0]["numpy"] != drawn[1]["numpy"]


def test_what_was_raised_is_reported() -> None:
    kinds = ["value", "exit", "keyboard", "base", "mute", "memory", "group"]
    found = ends(
        *(run_request(kind, "raise_it", kind=kind) for kind in kinds), run_request("wrapped", "wrapped_memory")
    )
    hows = {name: end.how for name, end in found.items()}
    assert hows == dict.fromkeys(kinds[:5], "raised") | dict.fromkeys(["memory", "group", "wrapped"], "memory")
    firsts = {name: end.error.splitlines()[0] for name, end in found.items()}
    assert firsts["value"] == "ValueError: no such city"
    assert firsts["exit"] == "SystemExit: 3"
    assert firsts["keyboard"] == "KeyboardInterrupt: "
    assert firsts["base"] == "Own: own"
    assert firsts["mute"].startswith("Mute: ")
    assert firsts["wrapped"] == "RuntimeError: the tool failed"
    assert "isolated_runs.py" in found["value"].error
    assert all(end.result is None for end in found.values())


def test_what_is_no_json_object_is_an_error() -> None:
    kinds = ["list", "text", "none", "set", "nan"]
    found = ends(
        *(run_request(kind, "give_back", kind=kind) for kind in kinds),
        run_request("huge", "big", bytes=65 * 2**20),
        run_request("large", "big", bytes=5 * 2**20),
    )
    assert {found[kind].how for kind in [*kinds, "huge"]} == {"raised"}
    assert "returned list; return a mapping" in found["list"].error
    assert "returned NoneType" in found["none"].error
    assert "JSON" in found["set"].error
    assert found["nan"].error.startswith("ValueError")
    assert "the most is" in found["huge"].error
    assert len((found["large"].result or {})["text"]) == 5 * 2**20


def test_ill_behaved_runs_are_reported_and_harm_no_other() -> None:
    late = RunLimits(seconds=3.0)
    ill = [
        run_request("threads", "leak_threads"),
        run_request("segfault", "segfault"),
        run_request("left", "leave", code=3),
        run_request("left well", "leave", code=0),
        run_request("killed", "kill_self", signal=int(signal.SIGKILL)),
        run_request("aborted", "kill_self", signal=int(signal.SIGABRT)),
        run_request("deaf", "deaf"),
        run_request("endless", "endless_c"),
        run_request("closed", "close_all"),
        run_request("opened", "open_all"),
        run_request("garbage", "garbage"),
        run_request("twin", "forked_twin"),
        run_request("hop", "hop"),
        run_request("napping", "napping", seconds=3600),
    ]
    beside = [run_request(f"fine {number}", "fine", value=number) for number in range(len(ill))]
    found = ends(*(one for pair in zip(ill, beside) for one in pair), limits=late, jobs=4)
    assert [(found[one.id].how, (found[one.id].result or {})["got"]) for one in beside] == [
        ("finished", number) for number in range(len(ill))
    ]
    outcomes = {
        name: (end.how, end.signal, end.exit_code) for name, end in found.items() if not name.startswith("fine")
    }
    assert outcomes == {
        "threads": ("finished", "", None),
        "segfault": ("signal", "SIGSEGV", None),
        "left": ("exited", "", 3),
        "left well": ("exited", "", 0),
        "killed": ("signal", "SIGKILL", None),
        "aborted": ("signal", "SIGABRT", None),
        "deaf": ("timeout", "", None),
        "endless": ("timeout", "", None),
        "closed": ("finished", "", None),
        "opened": ("finished", "", None),
        "garbage": ("finished", "", None),
        "twin": ("finished", "", None),
        "hop": ("finished", "", None),
        "napping": ("timeout", "", None),
    }
    assert found["threads"].threads == 3
    assert found["twin"].result == {"who": "parent"}
    assert "before the end" in found["segfault"].output
    assert "segfault" in found["segfault"].output  # the Python frame it happened in
    for name in ("deaf", "endless", "napping"):
        assert found[name].seconds >= 3.0
        assert "3 s" in found[name].error


def test_time_is_counted_from_the_functions_beginning() -> None:
    found = run_all(
        f"{HERE}.isolated_runs:act",
        [run_request("slow start", "napping", seconds=0.1)],
        preload=[f"{HERE}.threaded_import", f"{HERE}.slow_import"],
        limits=RunLimits(seconds=2.0),
        tell=lambda _: None,
    )
    assert found[0].how == "finished"
    assert found[0].start == "spawn"
    assert 0.1 <= found[0].seconds < 2.0


@pytest.mark.parametrize("then", ["return", "hang", "leave"])
def test_what_a_run_started_ends_with_it(then: str) -> None:
    mark = new_mark()
    limits = RunLimits(seconds=1.5 if then == "hang" else 60)
    found = ends(run_request("parent", "leave_children", mark=mark, then=then), limits=limits)
    assert found["parent"].children == 2
    assert found["parent"].how == {"return": "finished", "hang": "timeout", "leave": "exited"}[then]
    assert isolated_runs.found(mark) == []


def test_memory_is_limited_whoever_holds_it() -> None:
    limits = RunLimits(seconds=20, memory=128 * 2**20)
    found = ends(
        run_request("eater", "eat"),
        run_request("all at once", "eat", pieces=9, rest=30),
        run_request("children", "eat_in_children", rest=30),
        run_request("modest", "eat", pieces=4, rest=0.1),
        run_request("sharing", "share_with_children"),
        run_request("reserved", "reserve"),
        limits=limits,
        jobs=2,
    )
    assert {name: end.how for name, end in found.items()} == {
        "eater": "memory",
        "all at once": "memory",
        "children": "memory",
        "modest": "finished",
        "sharing": "finished",
        "reserved": "finished",
    }
    assert "the limit is 128 MiB" in found["eater"].error
    assert found["eater"].seconds < 60
    assert found["children"].children == 4


def test_a_run_that_the_kernel_kills_for_memory_is_reported_as_such() -> None:
    top = Path("/sys/fs/cgroup")
    old = (top / "memory").is_dir()
    group = top / ("memory" if old else "") / f"sealegs-{new_mark()}"
    try:
        group.mkdir()
        (group / ("memory.limit_in_bytes" if old else "memory.max")).write_text(str(300 * 2**20))
    except OSError:
        pytest.skip(needs.MEMORY_GROUP)
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from sealegs.suites.micro.isolation import RunLimits\n"
        "from tests.suites.micro.test_isolation import run_request, ends\n"
        "Path(sys.argv[1], 'cgroup.procs').write_text(str(os.getpid()))\n"
        "requests = [run_request('eater', 'eat'), run_request('beside', 'napping', seconds=1)]\n"
        "found = ends(*requests, limits=RunLimits(memory=None))\n"
        "assert found['beside'].how == 'finished', found\n"
        "assert (found['eater'].how, found['eater'].signal) == ('memory', 'SIGKILL'), found\n"
    )
    try:
        subprocess.run([sys.executable, "-c", code, str(group)], check=True, timeout=1800)
    finally:
        group.rmdir()


def test_endless_output_is_read_and_only_its_end_kept() -> None:
    code = (
        "import resource\n"
        "from tests.suites.micro.test_isolation import run_request, ends\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "end = ends(run_request('loud', 'print_much', megabytes=1500))['loud']\n"
        "assert end.how == 'finished' and end.output.endswith('the last words\\n'), end\n"
        "assert len(end.output) <= 16384\n"
        "used = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]\n"
        "assert max(used) < before + 30000, (before, used)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=1800)


def test_no_folder_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    ends(
        run_request("a", "pollute"),
        run_request("b", "segfault"),
        run_request("c", "deaf"),
        limits=RunLimits(seconds=0.3),
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("module", ["threaded_import", "shared_import"])
def test_where_a_fork_would_not_be_safe_each_run_starts_anew(module: str) -> None:
    notes: list[str] = []
    requests = [RunRequest(str(number), {"value": number}) for number in range(3)]
    found = run_all(f"{HERE}.{module}:fine", requests, jobs=2, tell=notes.append)
    assert [(end.how, end.start) for end in found] == [("finished", "spawn")] * 3
    assert len({(end.result or {})["pid"] for end in found}) == 3
    why = {"threaded_import": "1 more thread(s)", "shared_import": "shared_import.py open"}[module]
    assert len(notes) == 1
    assert why in notes[0]
    if module == "threaded_import":
        assert [(end.result or {})["folder"] for end in found] == [[]] * 3
        with pytest.warns(UserWarning, match="runs are not forked"):
            run_all(f"{HERE}.{module}:fine", requests[:1])


def test_a_killed_supervisor_loses_its_run_alone() -> None:
    mark = new_mark()
    found = ends(
        run_request("killer", "kill_supervisor", mark=mark),
        *(run_request(f"{n}", "napping", seconds=0.1) for n in range(6)),
    )
    assert found["killer"].how == "exited"
    assert "was killed" in found["killer"].error
    assert [found[f"{n}"].how for n in range(6)] == ["finished"] * 6
    assert isolated_runs.found(mark) == []


def test_225_runs_complete() -> None:
    requests = [run_request(f"r{number}", "fine", value=number) for number in range(225)]
    seen: list[str] = []
    found = run_all(ACT, requests, jobs=2, ended=lambda end: seen.append(end.id))
    assert [(end.result or {})["got"] for end in found] == list(range(225))
    assert sorted(seen) == sorted(request.id for request in requests)


def test_mistakes_are_reported_before_anything_runs(tmp_path: Path) -> None:
    def mistakes(*requests: RunRequest, work: str = ACT, **more: Any) -> str:
        with pytest.raises(UserError) as caught:
            run_all(work, requests, **more)
        return str(caught.value)

    one = run_request("a", "noted", note=str(tmp_path / "note"), value=1)
    wrong = mistakes(one, one, RunRequest("b", {"a": {1}}), jobs=0, limits=RunLimits(0, -1)).splitlines()
    assert len(wrong) == 5
    assert "'a' appears twice" in wrong[3]
    assert "no module 'nowhere'" in mistakes(one, work="nowhere:run")
    assert "did you mean act?" in mistakes(one, work=f"{HERE}.isolated_runs:acd")
    assert "cannot be called" in mistakes(one, work=f"{HERE}.isolated_runs:SEEN")
    assert "'nowhere' cannot be imported: ModuleNotFoundError" in mistakes(one, preload=["nowhere"])
    (tmp_path / "journal").write_text('{"id": 3}\n')
    assert "journal:1 is not a line" in mistakes(one, journal=tmp_path / "journal")
    assert not (tmp_path / "note").exists()


def test_a_journal_is_gone_on_with(tmp_path: Path) -> None:
    journal, note = tmp_path / "runs" / "journal.jsonl", tmp_path / "note"
    requests = [run_request(f"r{n}", "noted", note=str(note), value=n) for n in range(4)]
    requests[2] = run_request("r2", "leave", code=7)
    first = run_all(ACT, requests[:3], journal=journal)
    lines = journal.read_bytes().splitlines(keepends=True)
    assert [json.loads(line)["id"] for line in lines] == ["r0", "r1", "r2"]
    journal.write_bytes(b"".join(lines) + lines[0].replace(b"r0", b"r3")[:-1])  # torn: all but the end of the line
    seen: list[RunEnd] = []
    found = run_all(ACT, requests, journal=journal, ended=seen.append)
    assert found[:3] == first
    assert [end.id for end in seen] == ["r3"]
    assert [json.loads(line)["id"] for line in journal.read_bytes().splitlines()] == ["r0", "r1", "r2", "r3"]
    assert note.read_text().split() == ["0", "1", "3"]
    assert run_all(ACT, requests, journal=journal, ended=seen.append) == found
    assert len(seen) == 1

    changed = [run_request("r0", "fine", value=9)]
    with pytest.raises(UserError, match="'r0' of another payload"):
        run_all(ACT, changed, journal=journal)


def test_what_the_caller_does_wrong_ends_the_runs(tmp_path: Path) -> None:
    mark = new_mark()
    requests = [
        run_request("hanging", "leave_children", mark=mark, then="hang"),
        run_request("done", "napping", seconds=0.4),
    ]

    def fail(_: RunEnd) -> None:
        until = time.monotonic() + 60
        while len(isolated_runs.found(mark)) < 2 and time.monotonic() < until:
            time.sleep(0.02)
        assert len(isolated_runs.found(mark)) == 2
        raise RuntimeError("the caller's own")

    with pytest.raises(RuntimeError, match="the caller's own"):
        run_all(ACT, requests, jobs=2, ended=fail, journal=tmp_path / "journal")
    assert isolated_runs.found(mark) == []
    known: list[Mapping[str, Any]] = [json.loads(line) for line in (tmp_path / "journal").read_text().splitlines()]
    assert [line["id"] for line in known] == ["done"]


@pytest.mark.parametrize("refused", ["a run's folder", "a run's streams"])
def test_a_run_that_could_not_begin_is_no_end_of_the_function(refused: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFUSED", refused)
    (found,) = run_all(ACT, [run_request("a", "fine")], preload=[f"{HERE}.refusing_machine"])
    assert found.how == "lost", found
    assert found.error.startswith("lost 2 times: ")


def test_a_missing_folder_for_runs_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """It was a traceback, and a sentence that blamed the import."""
    monkeypatch.setenv("REFUSED", "the folder of all")
    with pytest.raises(UserError, match=r"^cannot make the folder there for runs: No space left on device; .*$"):
        run_all(ACT, [run_request("a", "fine")], preload=[f"{HERE}.refusing_machine"])
    assert capfd.readouterr().err == ""
