"""A long episode takes a bounded part of memory: what a recorder has no room for is in a file, and nothing is lost."""

from __future__ import annotations

import dataclasses
import errno
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import tracemalloc
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults import Value
from sealegs.faults.call import Call, Outcome
from sealegs.faults.kinds import Error
from sealegs.faults.triggers import Probability
from sealegs.inject import Session, VirtualClock
from sealegs.traces import Recorder, build_record, event_overflow
from sealegs.traces.event_overflow import EventOverflow, Moved
from sealegs.traces.events import Event, event_of_values, event_values
from tests import needs
from tests.inject.staging import plan, rule

FLAKY = plan(rule(Error(status=503), when=Probability(0.3)))


def answer(call: Call) -> Outcome:
    return Value({"of": dict(call.arguments), "text": "ahoy \ud800"})


def recorded(calls: int, most: int) -> Recorder:
    clock = VirtualClock()
    recorder = Recorder(clock, most=most)
    recorder.start("long", {"why": "to see"})
    session = Session(FLAKY, clock=clock, watcher=recorder)
    for number in range(calls):
        session.call(f"tool-{number % 3}", {"number": number, "x": float("nan")}, answer)
        if number == calls // 2:
            recorder.note({"noted": "late"})
    return recorder


@given(calls=st.integers(0, 60), most=st.integers(2, 40))
def test_whatever_has_room_the_events_are_the_same(calls: int, most: int) -> None:
    few, all_of_them = recorded(calls, most), recorded(calls, 10**6)
    assert few.events == all_of_them.events
    assert len(few._kept.recent) <= most + 3  # those of one call
    for recorder in (few, all_of_them):
        recorder.finish("answered", answer="done")
    assert few.events == all_of_them.events
    assert build_record(few.events) == build_record(all_of_them.events)


@pytest.mark.parametrize("kind", get_args(Event))
def test_every_event_is_made_again_of_its_values(kind: Any) -> None:
    names = [one.name for one in dataclasses.fields(kind) if one.name != "type"]
    event = kind(**{name: {name: [1, "\ud800"]} for name in names})
    assert event_of_values(event_values(event)) == event
    assert event_values(event)[1] == tuple(getattr(event, one.name) for one in dataclasses.fields(kind))


def test_events_may_be_read_on_the_way() -> None:
    clock = VirtualClock()
    recorder = Recorder(clock, most=4)
    recorder.start("long", {})
    session = Session(clock=clock, watcher=recorder)
    for number in range(1, 20):
        session.call("tool", {}, answer)
        assert len(recorder.events) == 1 + 2 * number


def test_threads_lose_nothing() -> None:
    clock = VirtualClock()
    recorder = Recorder(clock, most=20)
    recorder.start("long", {})
    session = Session(clock=clock, watcher=recorder)

    def work(worker: int) -> None:
        for number in range(200):
            session.call("tool", {"worker": worker, "number": number}, answer)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    called = [event.arguments for event in recorder.events if event.type == "called"]
    assert sorted((one["worker"], one["number"]) for one in called) == [(w, n) for w in range(8) for n in range(200)]
    recorder.finish("answered")
    assert len(build_record(recorder.events).turns) == 1600


def test_memory_is_bounded() -> None:
    def left(most: int) -> int:
        gc.collect()
        tracemalloc.start()
        recorder = recorded(3000, most)
        gc.collect()
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(recorder.events) > 6000
        return size

    assert left(300) < left(10**6) / 5


@pytest.mark.parametrize("broken", ["__init__", "add"])
def test_without_room_on_the_disk_they_stay_in_memory(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(EventOverflow, broken, full)
    few = recorded(50, 10)
    assert few.events == recorded(50, 10**6).events


@pytest.mark.parametrize("room", [0, 1, 100, 2000, 9000])
def test_a_disk_that_fills_in_the_midst_loses_nothing(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, left = event_overflow._write_at, 20_000 + room

    def filling(file: int, data: memoryview, place: int) -> int:
        nonlocal left
        if not left:
            raise OSError(errno.ENOSPC, "No space left on device")
        done = whole(file, data[: min(left, 700)], place)
        left -= done
        return done

    monkeypatch.setattr(event_overflow, "_write_at", filling)
    few = recorded(300, 30)
    assert few.events == recorded(300, 10**6).events
    assert isinstance(few._kept.recent[0], Moved)


def test_a_list_that_was_given_out_stays_as_it_was() -> None:
    recorder = recorded(9, 20)
    held = recorder.events
    before = list(held)
    session = Session(FLAKY, clock=VirtualClock(), watcher=recorder)
    for number in range(50):
        session.call("tool", {"number": number}, answer)
    assert held == before
    assert recorder.events[: len(before)] == before


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason=needs.FORKED)
def test_the_handler_of_a_signal_may_read_and_record() -> None:
    clock = VirtualClock()
    recorder = Recorder(clock, most=50)
    recorder.start("long", {})
    session = Session(clock=clock, watcher=recorder)
    handled = 0

    def handler(*_: object) -> None:
        nonlocal handled
        session.call("handler", {}, answer)
        handled += bool(recorder.events)
        signal.setitimer(signal.ITIMER_REAL, 0.002)  # not sooner: one handler would interrupt the other

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.002)
    try:
        for number in range(3000):
            session.call("tool", {"number": number}, answer)
            if number % 100 == 0:
                len(recorder.events)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    called = [event for event in recorder.events if event.type == "called"]
    assert handled
    assert len({event.call for event in called}) == len(called) == 3000 + handled
    assert [event.arguments["number"] for event in called if event.tool == "tool"] == list(range(3000))


@pytest.mark.skipif(not hasattr(os, "fork"), reason=needs.FORKED)
def test_a_forked_process_keeps_its_own() -> None:
    recorder = recorded(50, 20)
    session = Session(clock=VirtualClock(), watcher=recorder)

    def work(name: str) -> set[str]:
        for number in range(100):
            session.call(name, {"number": number}, answer)
        return {event.tool for event in recorder.events if event.type == "called"}

    context = multiprocessing.get_context("fork")
    found = context.Queue()
    child = context.Process(target=lambda: found.put(work("child")))
    child.start()
    ours = work("parent")
    theirs = found.get()
    child.join()
    assert (ours - theirs, theirs - ours) == ({"parent"}, {"child"})
    assert len([event for event in recorder.events if event.type == "called"]) == 150


def test_what_runs_at_the_interpreters_end_may_still_read() -> None:
    code = """
import atexit
from sealegs.faults import Value
from sealegs.inject import Session, VirtualClock
from sealegs.traces import Recorder
atexit.register(lambda: print(len(recorder.events)))
clock = VirtualClock()
recorder = Recorder(clock, most=10)
recorder.start("long", {})
session = Session(clock=clock, watcher=recorder)
for _ in range(50): session.call("tool", {}, lambda call: Value(1))
"""
    done = subprocess.run([sys.executable, "-X", "dev", "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("101\n", "")


def test_a_file_that_was_cut_off_is_an_error() -> None:
    file = EventOverflow()
    block = file.add(recorded(5, 100).events)
    os.ftruncate(file._file, block.size // 2)
    with pytest.raises(OSError, match="shorter than it was written"):
        file.read(block)
