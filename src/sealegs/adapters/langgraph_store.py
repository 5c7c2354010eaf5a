"""LangGraph's stores, the memory that agents share: each operation through a session.

`graph.compile(store=SeamStore(store, session))`. An operation is a call of a tool `store_get`, `store_put`,
`store_search`, `store_delete` or `store_list_namespaces`; what the tool answers is the entries as data. A put or a
delete can be answered without being done, so that a lost write (`silent_noop`) is one: the store's own content shows
it. Operations that come in one batch are made one by one, those that read first, as the in-memory store does it.
Checkpoints, and what a store does by itself (expiry, embeddings), do not go through the session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, Op, PutOp, Result, SearchItem, SearchOp

from sealegs.adapters.bridge import ResultCodec, ToolCallBridge
from sealegs.faults.call import Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session

GET, PUT, SEARCH, DELETE, LIST = "store_get", "store_put", "store_search", "store_delete", "store_list_namespaces"
Entry = tuple[Sequence[str], str]  # a namespace and a key
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)  # where an answer that a fault made says no time


class SeamStore(BaseStore):
    """A store whose operations go through a session.

    Args:
        store: the store itself.
        session: the episode; None takes the session that is active when an operation is made.
        others: entries whose content `wrong_entity` may show in place of the one that is asked for.
    """

    def __init__(self, store: BaseStore, session: Session | None = None, others: Iterable[Entry] = ()) -> None:
        self.inner = store
        self.supports_ttl = store.supports_ttl
        self.ttl_config = store.ttl_config
        examples = tuple({"namespace": list(namespace), "key": key} for namespace, key in others)
        self._bridges = {
            GET: ToolCallBridge(
                session, ResultCodec(_read_item, _item), "store", ToolSpec(GET, effects=False, examples=examples)
            ),
            SEARCH: ToolCallBridge(session, ResultCodec(_read_items, _items), "store", ToolSpec(SEARCH, effects=False)),
            LIST: ToolCallBridge(session, ResultCodec(_read_names, _names), "store", ToolSpec(LIST, effects=False)),
            **{
                tool: ToolCallBridge(
                    session,
                    ResultCodec(written=_nothing, dry=_done),
                    "store",
                    ToolSpec(tool, effects=True, idempotent=True, shown_by=GET),
                )
                for tool in (PUT, DELETE)
            },
        }

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Make the operations in this thread; what `get`, `put`, `search` and `delete` come to."""
        given = list(ops)
        results: list[Result] = [None] * len(given)
        for place in _in_order(given):
            op = given[place]
            tool, arguments = _call_of(op)
            results[place] = self._bridges[tool].call(tool, arguments, self._running(op, arguments))
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Make the operations in this task; see `batch`."""
        given = list(ops)
        results: list[Result] = [None] * len(given)
        for place in _in_order(given):
            results[place] = await self._made(given[place])
        return results

    async def _made(self, op: Op) -> Result:
        tool, arguments = _call_of(op)

        async def running(now: Mapping[str, Any]) -> Any:
            (result,) = await self.inner.abatch([_op_with(op, arguments, now)])
            return result

        result: Result = await self._bridges[tool].call_async(tool, arguments, running)
        return result

    def _running(self, op: Op, arguments: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Any]:
        return lambda now: self.inner.batch([_op_with(op, arguments, now)])[0]

    def __getattr__(self, name: str) -> Any:
        """An attribute that only this kind of store has (`setup` of a database)."""
        if name == "inner":  # while it is being made or copied
            raise AttributeError(name)
        return getattr(self.inner, name)


def _in_order(ops: Sequence[Op]) -> list[int]:
    return sorted(range(len(ops)), key=lambda place: isinstance(ops[place], PutOp))


def _call_of(op: Op) -> tuple[str, dict[str, Any]]:
    """An operation as a call: the tool and its arguments."""
    if isinstance(op, GetOp):
        return GET, {"namespace": list(op.namespace), "key": op.key}
    if isinstance(op, PutOp):
        entry = {"namespace": list(op.namespace), "key": op.key}
        return (DELETE, entry) if op.value is None else (PUT, {**entry, "value": op.value})
    if isinstance(op, SearchOp):
        query = {"query": op.query, "filter": op.filter, "limit": op.limit, "offset": op.offset}
        return SEARCH, {"namespace_prefix": list(op.namespace_prefix), **query}
    if isinstance(op, ListNamespacesOp):
        conditions = [{"match": one.match_type, "path": list(one.path)} for one in op.match_conditions or ()]
        return LIST, {"conditions": conditions, "max_depth": op.max_depth, "limit": op.limit, "offset": op.offset}
    raise ValueError(f"a store has no operation {type(op).__name__}")


def _op_with(op: Any, arguments: Mapping[str, Any], now: Mapping[str, Any]) -> Any:
    """The operation, with those arguments that were changed on the way."""
    changed = {name: value for name, value in now.items() if value != arguments.get(name) and name in op._fields}
    # Arguments are JSON, which has no tuples, and stores use namespaces as keys.
    for name in ("namespace", "namespace_prefix"):
        if name in changed:
            changed[name] = tuple(changed[name])
    return op._replace(**changed) if changed else op


def _done(arguments: Mapping[str, Any]) -> Outcome:
    return Value(None)


def _nothing(value: Any, result: Any) -> None:
    return None


def _data(item: Item) -> dict[str, Any]:
    found = {
        "namespace": list(item.namespace),
        "key": item.key,
        "value": item.value,
        "created_at": item.created_at.isoformat(),
        "updated_at": item.updated_at.isoformat(),
    }
    return {**found, "score": item.score} if isinstance(item, SearchItem) else found


def _read_item(item: Item | None) -> Outcome:
    return Value(None if item is None else _data(item))


def _read_items(items: Sequence[SearchItem]) -> Outcome:
    return Value([_data(item) for item in items])


def _read_names(names: Sequence[Sequence[str]]) -> Outcome:
    return Value([list(name) for name in names])


def _item(data: Any, result: Item | None) -> Item | None:
    return None if data is None else Item(**_fields(data))


def _items(data: Any, result: Any) -> list[SearchItem]:
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise ValueError(f"the store's answer cannot be read: {data!r}")
    return [SearchItem(**_fields(one), score=one.get("score")) for one in data]


def _names(data: Any, result: Any) -> list[tuple[str, ...]]:
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise ValueError(f"the store's answer cannot be read: {data!r}")
    return [tuple(one) for one in data]


def _fields(data: Any) -> dict[str, Any]:
    """The fields of an entry. A store's client fails where an answer is none, and so does this."""
    if not isinstance(data, Mapping) or not isinstance(data.get("value"), Mapping):
        raise ValueError(f"the store's answer cannot be read: {data!r}")
    times = {name: _time(data.get(name)) for name in ("created_at", "updated_at")}
    entry = {"namespace": tuple(data.get("namespace") or ()), "key": str(data.get("key") or "")}
    return {**entry, "value": dict(data["value"]), **times}


def _time(text: Any) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return BEGINNING
