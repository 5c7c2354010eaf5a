"""Tasks of the harbour: a request names services in turn and a reference; each service takes the code of the last.

A service is offered by one tool or by several that stand in for one another; one alone is a dead end when it stays
broken. Tools are offered service by service, the one to be preferred first. A task is a function of its key.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from random import Random

from sealegs.faults import seeds
from sealegs.faults.spec import ToolSpec
from sealegs.scenarios.task_sets import TaskSet
from sealegs.tasks.graph import Branch, Deliverable, Field, Graph, Group, Node, Step, Task, UserInput
from sealegs.training.data.task_sources import BaseTask, TaskVariant
from sealegs.training.proof.synthetic_world import (
    ACTIONS,
    CODE,
    DOMAIN,
    REF,
    SERVICES,
    SOURCES,
    synthetic_corpus,
    tools_of_service,
)

LABEL = "code"
WAYS = (1, 2, 2, 3)  # tools of a service, drawn from these
LENGTHS = (2, 3, 3)


@dataclass(frozen=True)
class SyntheticTask:
    """A task and the tools that are offered with it, in the order in which they are listed."""

    variant: TaskVariant
    offered: tuple[str, ...]

    @cached_property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The offered tools as an agent sees them."""
        own = self.variant.base.specs
        return tuple(own.get(name) or synthetic_corpus().tools[name].spec for name in self.offered)


def synthetic_task(*key: object, new_tools: bool = False, alone: bool | None = None) -> SyntheticTask:
    """The task of this key.

    Args:
        key: names it.
        new_tools: whether every tool is one that is kept from training.
        alone: whether some service of the task must be (not be) offered by one tool alone; either by default.
    """
    draw = seeds.stream("errand", *key)
    wanted = _wanted(draw)
    ways = [draw.choice(WAYS) for _ in wanted]
    if alone is not None:
        ways[draw.randrange(len(ways))] = 1 if alone else draw.choice(WAYS[1:])
    tools = {service: _drawn(service, count, draw, new_tools) for service, count in zip(wanted, ways, strict=True)}
    other = draw.choice([service for service in SERVICES if service not in wanted])
    listed = {**tools, other: _drawn(other, draw.choice(WAYS[:2]), draw, new_tools)}
    services = list(listed)
    # Otherwise the order of the offered tools would be the solution's order.
    draw.shuffle(services)
    ref = f"{draw.randrange(10_000):04d}"
    id = "/".join(map(str, key))
    task = Task(
        id=id,
        level=f"C{len(wanted)}",
        request=f"{' '.join(wanted)} {ref}",
        inputs={REF: ref},
        graph=_graph(wanted, tools),
        deliverables=(Deliverable(LABEL, Field(f"n{len(wanted)}", CODE)),),
        domains=(DOMAIN,),
    )
    tasks = TaskSet({id: task}, {id: synthetic_corpus()})
    base = BaseTask(id, task, tasks)
    return SyntheticTask(
        TaskVariant(base, 0, task, tasks.right_run(id)), tuple(name for s in services for name in listed[s])
    )


def _wanted(draw: Random) -> list[str]:
    """Services in turn; an action comes last, where one comes."""
    length = draw.choice(LENGTHS)
    found = draw.sample(SOURCES, length)
    if draw.random() < 0.5:
        found[-1] = draw.choice(ACTIONS)
    return found


def _drawn(service: str, count: int, draw: Random, new: bool) -> list[str]:
    return draw.sample(tools_of_service(service, new=new), count)


def _graph(wanted: list[str], tools: dict[str, list[str]]) -> Graph:
    nodes: list[Node] = []
    for nth, service in enumerate(wanted, 1):
        source = UserInput(REF) if nth == 1 else Field(f"n{nth - 1}", CODE)
        names = tools[service]
        if len(names) == 1:
            nodes.append(Step(f"n{nth}", names[0], {REF: source}))
            continue
        steps = [Step(f"n{nth}.{name}", name, {REF: source}) for name in names]
        branches = [Branch(step.tool, (step,), {CODE: Field(step.id, CODE)}) for step in steps]
        nodes.append(Group(f"n{nth}", tuple(branches)))
    return Graph(tuple(nodes))
