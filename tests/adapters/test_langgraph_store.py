"""LangGraph's stores under a session: what the store holds, what it answered, and what the agent was shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import needs

pytest.importorskip("langgraph", reason=needs.module("langgraph"))

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore, GetOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from sealegs.adapters.langgraph_store import SeamStore
from sealegs.faults import plan_from
from sealegs.faults.plan import Plan
from sealegs.inject import Session, VirtualClock
from sealegs.traces import Recorder, build_record

ANN, BO = ("users", "ann"), ("users", "bo")
WAYS = ["sync", "async"]


def plan(tool: str, **fault: Any) -> Plan:
    when = fault.pop("when", {"nth": 1})
    moment = {"moment": fault.pop("moment")} if "moment" in fault else {}
    rule = {"id": "one", "match": {"tool": tool}, "when": when, "fault": fault, **moment}
    return plan_from({"name": "memory", "rules": [rule]})


class Memory:
    """A store, its session and the session's record; operations in either way."""

    def __init__(self, way: str, faults: Plan, others: Any = ()) -> None:
        self.truth = InMemoryStore()
        clock = VirtualClock()
        self.recorder = Recorder(clock)
        self.recorder.start("memory", {})
        self.session = Session(faults, clock=clock, watcher=self.recorder)
        self.store = SeamStore(self.truth, self.session, others)
        self.way = way

    async def do(self, name: str, *args: Any, **kwargs: Any) -> Any:
        if self.way == "sync":
            return getattr(self.store, name)(*args, **kwargs)
        return await getattr(self.store, f"a{name}")(*args, **kwargs)

    def turns(self) -> Any:
        self.recorder.finish("answered")
        return build_record(self.recorder.events).turns


@pytest.mark.parametrize("way", WAYS)
async def test_a_lost_write_is_reported_done_and_the_store_does_not_hold_it(way: str) -> None:
    memory = Memory(way, plan("store_put", kind="silent_noop", moment="before"))
    assert await memory.do("put", ANN, "size", {"size": 38}) is None
    assert memory.truth.get(ANN, "size") is None  # the store's own content
    assert await memory.do("get", ANN, "size") is None
    await memory.do("put", ANN, "size", {"size": 38})
    held = memory.truth.get(ANN, "size")
    assert held is not None
    assert held.value == {"size": 38}
    put, get, again = memory.turns()
    assert [bool(turn.injections) for turn in (put, get, again)] == [True, False, False]
    assert put.injections[0].delivered
    assert put.call.arguments == {"namespace": ["users", "ann"], "key": "size", "value": {"size": 38}}


@pytest.mark.parametrize("way", WAYS)
async def test_a_lost_delete_leaves_the_entry(way: str) -> None:
    memory = Memory(way, plan("store_delete", kind="silent_noop", moment="before"))
    memory.truth.put(ANN, "size", {"size": 38})
    await memory.do("delete", ANN, "size")
    assert memory.truth.get(ANN, "size") is not None
    await memory.do("delete", ANN, "size")
    assert memory.truth.get(ANN, "size") is None


@pytest.mark.parametrize("way", WAYS)
async def test_a_stale_read_is_the_same_entry_as_it_was(way: str) -> None:
    memory = Memory(way, plan("store_get", kind="stale", of="call", when={"nth": 3}))
    memory.truth.put(ANN, "size", {"size": 38})
    memory.truth.put(BO, "size", {"size": 44})
    first = await memory.do("get", ANN, "size")
    await memory.do("get", BO, "size")  # the latest other answer of the tool, but of another entry
    await memory.do("put", ANN, "size", {"size": 39})
    read = await memory.do("get", ANN, "size")
    assert read.value == {"size": 38}
    assert (read.namespace, read.key, read.updated_at) == (ANN, "size", first.updated_at)
    assert memory.truth.get(ANN, "size").value == {"size": 39}  # type: ignore[union-attr]
    answer, shown = (lambda turn: (turn.said.value, turn.shown.value))(memory.turns()[-1])
    assert (answer["value"], shown["value"]) == ({"size": 39}, {"size": 38})


@pytest.mark.parametrize("way", WAYS)
async def test_another_entry_is_shown_in_place_of_the_one_asked_for(way: str) -> None:
    memory = Memory(way, plan("store_get", kind="wrong_entity"), others=[(BO, "size")])
    memory.truth.put(ANN, "size", {"size": 38})
    memory.truth.put(BO, "size", {"size": 44})
    read = await memory.do("get", ANN, "size")
    assert (read.namespace, read.value) == (BO, {"size": 44})
    assert (await memory.do("get", ANN, "size")).value == {"size": 38}


@pytest.mark.parametrize("way", WAYS)
async def test_a_lost_acknowledgement_is_a_write_that_the_store_holds(way: str) -> None:
    memory = Memory(way, plan("store_put", kind="lost_ack", mode="connection"))
    with pytest.raises(ConnectionError):
        await memory.do("put", ANN, "size", {"size": 38})
    assert memory.truth.get(ANN, "size") is not None


@pytest.mark.parametrize("way", WAYS)
async def test_a_search_may_be_partial_and_empty_and_fail(way: str) -> None:
    for fault, expected in (
        ({"kind": "empty"}, []),
        ({"kind": "delta", "offset": 1.0, "fields": ["value.size"]}, None),
    ):
        memory = Memory(way, plan("store_search", **fault))
        memory.truth.put(ANN, "size", {"size": 38.0})
        memory.truth.put(BO, "size", {"size": 44.0})
        found = await memory.do("search", ("users",), limit=5)
        true = memory.truth.search(("users",), limit=5)
        if expected is None:
            assert [one.key for one in found] == [one.key for one in true]
            assert [one.value for one in found] != [one.value for one in true]
        else:
            assert found == expected
        assert await memory.do("search", ("users",), limit=5) == true
    memory = Memory(way, plan("store_search", kind="error", status=503))
    with pytest.raises(Exception, match="Service Unavailable"):
        await memory.do("search", ("users",))


@pytest.mark.parametrize("way", WAYS)
async def test_an_answer_that_is_no_entry_raises_as_a_client_would(way: str) -> None:
    memory = Memory(way, plan("store_get", kind="malformed"))
    memory.truth.put(ANN, "size", {"size": 38})
    with pytest.raises(ValueError, match="cannot be read"):
        await memory.do("get", ANN, "size")


@pytest.mark.parametrize("way", WAYS)
async def test_untouched_it_answers_as_the_store_does_in_batches_too(way: str) -> None:
    memory = Memory(way, plan("store_get", kind="error", when={"nth": 1000}))
    twin = InMemoryStore()
    ops = [
        PutOp(ANN, "size", {"size": 38}),
        GetOp(ANN, "size"),
        PutOp(ANN, "size", {"size": 39}),
        SearchOp(("users",), filter={"size": {"$gt": 1}}),
    ]
    for store in (memory.store, twin):
        for _ in range(2):
            found = store.batch(ops) if way == "sync" else await store.abatch(ops)
    expected = twin.batch(ops)
    assert [getattr(one, "value", one) for one in found[:3]] == [getattr(one, "value", one) for one in expected[:3]]
    assert memory.store.get(ANN, "size").value == {"size": 39}  # type: ignore[union-attr]
    names = await memory.do("list_namespaces", prefix=("users",), max_depth=2)
    assert names == twin.list_namespaces(prefix=("users",), max_depth=2)
    assert memory.turns()[-1].call.arguments["conditions"] == [{"match": "prefix", "path": ["users"]}]
    assert MatchCondition("prefix", ("users",)).match_type == "prefix"
    with pytest.raises(ValueError, match="no operation int"):
        memory.store.batch([1])  # type: ignore[list-item]


async def test_agents_of_a_graph_share_what_the_session_lets_them(tmp_path: Path) -> None:
    """Two nodes of a real graph: one writes what it learned, the other reads it in a later run."""

    async def learn(state: dict[str, Any], *, store: BaseStore) -> dict[str, Any]:
        await store.aput(ANN, "size", {"size": state["size"]})
        return {"advice": "noted"}

    async def advise(state: dict[str, Any], *, store: BaseStore) -> dict[str, Any]:
        item = await store.aget(ANN, "size")
        return {"advice": "unknown" if item is None else f"size {item.value['size']}"}

    graph: Any = StateGraph(dict)
    graph.add_node("learn", learn)
    graph.add_node("advise", advise)
    graph.add_edge(START, "learn")
    graph.add_edge("learn", "advise")
    graph.add_edge("advise", END)
    memory = Memory("async", plan("store_put", kind="silent_noop", moment="before", when={"nth": 2}))
    agents = graph.compile(store=memory.store)
    assert (await agents.ainvoke({"size": 38}))["advice"] == "size 38"
    assert (await agents.ainvoke({"size": 39}))["advice"] == "size 38"  # the second write was lost
    assert (await agents.ainvoke({"size": 40}))["advice"] == "size 40"
    assert [turn.call.tool for turn in memory.turns()] == ["store_put", "store_get"] * 3


def test_without_a_session_nothing_happens_and_the_active_one_is_found() -> None:
    store = SeamStore(InMemoryStore())
    store.put(ANN, "size", {"size": 38})
    with (
        Session(plan("store_get", kind="error", status=500), clock=VirtualClock()),
        pytest.raises(Exception, match="Internal Server Error"),
    ):
        store.get(ANN, "size")
    assert store.get(ANN, "size").value == {"size": 38}  # type: ignore[union-attr]
    assert store.index_config is None  # what only this kind of store has
