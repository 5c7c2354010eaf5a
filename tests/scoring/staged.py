"""A small task and records of it, written call by call.

look_up(name) -> id;  rate: quick(id) -> price | slow_a(id) -> key, slow_b(key) -> price;  pay(id, price) -> receipt.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sealegs.faults.call import Call, Effect, Failure, Outcome, Value
from sealegs.scoring import Case, Slot
from sealegs.tasks import Branch, Deliverable, Field, Graph, Group, Persistence, Step, Task, UserInput
from sealegs.tasks.reference import ExpectedStep, Reference
from sealegs.traces import EpisodeEnded, FaultInjected, Record, Turn, outcome_data

GRAPH = Graph(
    (
        Step("look_up", "look_up", {"name": UserInput("name")}),
        Group(
            "rate",
            (
                Branch(
                    "one",
                    (Step("rate.quick", "quick", {"id": Field("look_up", "id")}),),
                    {"price": Field("rate.quick", "price")},
                ),
                Branch(
                    "two",
                    (
                        Step("rate.slow_a", "slow_a", {"id": Field("look_up", "id")}),
                        Step("rate.slow_b", "slow_b", {"key": Field("rate.slow_a", "key")}),
                    ),
                    {"price": Field("rate.slow_b", "price")},
                ),
            ),
        ),
        Step("pay", "pay", {"id": Field("look_up", "id"), "price": Field("rate", "price")}),
    )
)
TASK = Task(
    "t-1",
    "C2",
    "Pay for the Corvin order and tell me the receipt and the price.",
    {"name": "Corvin"},
    GRAPH,
    (Deliverable("receipt", Field("pay", "receipt")), Deliverable("price", Field("rate", "price"))),
)
QUICK = Step("quick", "quick", {"id": Field("look_up", "id")})
PAY = Step("pay", "pay", {"id": Field("look_up", "id"), "price": Field("quick", "price")})
LINE = Task(
    "t-2",
    "C1",
    "The same without a second way.",
    {"name": "Corvin"},
    Graph((GRAPH.nodes[0], QUICK, PAY)),
    (Deliverable("receipt", Field("pay", "receipt")), Deliverable("price", Field("quick", "price"))),
)
PAID = Effect("pay", "ID-77", {"price": 120.5})
RIGHT: Mapping[str, tuple[dict[str, Any], dict[str, Any], tuple[Effect, ...]]] = {
    "look_up": ({"name": "Corvin"}, {"id": "ID-77"}, ()),
    "quick": ({"id": "ID-77"}, {"price": 120.5}, ()),
    "slow_a": ({"id": "ID-77"}, {"key": "K-9041"}, ()),
    "slow_b": ({"key": "K-9041"}, {"price": 120.5}, ()),
    "pay": ({"id": "ID-77", "price": 120.5}, {"receipt": "RC-5513"}, (PAID,)),
}
DONE = "Receipt RC-5513 over 120.50. Status: complete"


def reference(task: Task = TASK) -> Reference:
    steps = {}
    for step in task.graph.walk():
        arguments, output, effects = RIGHT[step.tool]
        steps[step.id] = ExpectedStep(arguments, {}, frozenset(), output, effects)
    return Reference(steps, ("RC-5513", 120.5))


def case(mode: str = "NP", node: str = "rate", task: Task = TASK) -> Case:
    persistence: Persistence = "transient" if mode in ("P1", "P3") else "permanent"
    return Case(task, reference(task), mode, () if mode == "NP" else (Slot(node, persistence),))


def right(tool: str, **changed: Any) -> Turn:
    """A call that the tool carries out; `changed` replaces arguments, and what is paid is what was asked for."""
    arguments, output, effects = RIGHT[tool]
    given = {**arguments, **changed}
    done = tuple(Effect("pay", given["id"], {"price": given["price"]}) for _ in effects)
    return Turn(Call(tool, given), Value(output), Value(output), (), done)


def refused(tool: str, **changed: Any) -> Turn:
    """A call that the tool itself refuses."""
    outcome = Failure("no such thing", status=404)
    return Turn(Call(tool, {**RIGHT[tool][0], **changed}), outcome, outcome)


def failing(tool: str) -> Turn:
    """A call that meets an explicit fault."""
    shown = Failure("Service Temporarily Unavailable", status=503)
    return Turn(Call(tool, RIGHT[tool][0]), None, shown, (injected("error", False, None, shown),))


def poisoned(tool: str, **corrupt: Any) -> Turn:
    """A call that meets an implicit fault: fields of its answer are corrupt, and it did nothing."""
    arguments, output, _ = RIGHT[tool]
    shown = Value({**output, **corrupt})
    injection = injected("physics_violation", True, Value(output), shown)
    return Turn(Call(tool, arguments), Value(output), shown, (injection,))


def injected(
    kind: str, implicit: bool, returned: Outcome | None, shown: Outcome, delivered: bool = True
) -> FaultInjected:
    data = None if returned is None else outcome_data(returned)
    return FaultInjected("call", "rule", kind, implicit, delivered, 0, 0.0, data, outcome_data(shown))


def record(*turns: Turn, answer: str | None = DONE, end: Any = "answered") -> Record:
    return Record("e", {}, turns, answer, EpisodeEnded(end))
