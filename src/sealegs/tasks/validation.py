"""Everything that is wrong with a graph or a task, at once.

Each problem is one sentence: where, what, and what to do. A graph without problems has a solution for every choice of
branches; the rest of the room takes that for granted.

Not covered: whether tools exist and take these arguments, whether a field is in an answer, and whether branches deliver
equal values; those need the world.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sealegs.faults.user_error import UserError
from sealegs.tasks.cycles import cycles
from sealegs.tasks.graph import Branch, Field, Graph, Group, Node, Step, Task, UserInput


class InvalidTask(UserError):
    """A graph or a task has problems; `problems` are sentences, each with its place."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems

    def __reduce__(self) -> tuple[type[InvalidTask], tuple[list[str]]]:
        return InvalidTask, (self.problems,)  # as it comes from another process


def validate_graph(graph: Graph) -> list[str]:
    """The problems of a graph; empty where it is good.

    Of steps that wait for one another, one cycle is named; the others show when it is repaired.
    """
    if not graph.nodes:
        return ["the graph has no nodes; add a step"]
    view = _View(graph)
    found = [*_names(graph), *_groups(graph)]
    for step, place in view.walk():
        for reading in _readings(step):
            found += view.reference(reading, place)
    found += view.missing_exports()
    found += [
        f"cycle: {' -> '.join([*cycle, cycle[0]])}: each waits for the one before it; take one of these inputs away"
        for cycle in cycles(view.waits(), view.places)
    ]
    return found


def check_graph(graph: Graph) -> None:
    """Let a good graph pass.

    Raises:
        InvalidTask: with all problems of `validate_graph`.
    """
    if found := validate_graph(graph):
        raise InvalidTask(found)


def validate_task(task: Task) -> list[str]:
    """The problems of a task: those of its graph, of its inputs, of its deliverables, and unused answers."""
    return [*validate_graph(task.graph), *_inputs(task), *_deliverables(task), *_unused(task), *_victim(task)]


def check_task(task: Task) -> None:
    """Let a good task pass.

    Raises:
        InvalidTask: with all problems of `validate_task`.
    """
    if found := validate_task(task):
        raise InvalidTask(found)


_Place = tuple[Group, Branch] | None


@dataclass(frozen=True, slots=True)
class _Reading:
    """One reference of a step: what it says of itself, the node, and the path (None for `after`)."""

    where: str
    node: str
    path: str | None


def _readings(step: Step) -> Iterator[_Reading]:
    for name, binding in step.arguments.items():
        if isinstance(binding, Field):
            yield _Reading(f"step {step.id!r}: argument {name!r}", binding.node, binding.path)
    for id in step.after:
        yield _Reading(f"step {step.id!r}: `after`", id, None)


class _View:
    """A graph that may be bad: of things with one id, the first counts."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.nodes: dict[str, Node] = {}
        self.homes: dict[str, tuple[Group, Branch]] = {}
        self.places: dict[str, tuple[str, int]] = {}
        for node in graph.nodes:
            self.nodes.setdefault(node.id, node)
        for group in graph.groups:
            for number, branch in enumerate(group.branches):
                for step in branch.steps:
                    self.homes.setdefault(step.id, (group, branch))
                    self.places.setdefault(step.id, (group.id, number))

    def walk(self) -> Iterator[tuple[Step, _Place]]:
        for node in self.graph.nodes:
            if isinstance(node, Step):
                yield node, None
            else:
                for branch in node.branches:
                    for step in branch.steps:
                        yield step, (node, branch)

    def reference(self, reading: _Reading, place: _Place) -> Iterator[str]:
        """The problems of one reference, the exports of single branches aside."""
        where, node = reading.where, self.nodes.get(reading.node)
        # Steps of one branch read one another by name; only from outside does the group come before them.
        if place is not None and any(step.id == reading.node for step in place[1].steps):
            return
        if node is None:
            yield self._inside(reading, place)
        elif place is not None and node is place[0]:
            yield f"{where} names its own group {node.id!r}; name a step of its branch or a node outside the group"
        elif isinstance(node, Group) and reading.path is not None:
            exports = sorted({name for branch in node.branches for name in branch.exports})
            if reading.path not in exports:
                yield f"{where} reads {reading.path!r}, which is not an export of group {node.id!r}; " + (
                    f"its exports are {', '.join(exports)}" if exports else "it has none"
                )

    def _inside(self, reading: _Reading, place: _Place) -> str:
        where, id = reading.where, reading.node
        if id not in self.homes:
            return f"{where} names {id!r}, which is not a node of the graph; name a step or a group of it"
        group, branch = self.homes[id]
        if place is not None and place[0] is group:
            return (
                f"{where} names {id!r} in branch {branch.id!r} of the same group, which is never called with branch"
                f" {place[1].id!r}; name a step of its own branch or a node outside the group"
            )
        remedy = "name the group" if reading.path is None else "read an export of the group"
        return f"{where} names {id!r} inside branch {branch.id!r} of group {group.id!r}; {remedy}"

    def missing_exports(self) -> Iterator[str]:
        """Exports that are read and that some branches do not give."""
        readers: dict[tuple[str, str], str] = {}
        for step, _ in self.walk():
            for reading in _readings(step):
                if reading.path is not None:
                    readers.setdefault((reading.node, reading.path), reading.where)
        for (id, path), reader in readers.items():
            node = self.nodes.get(id)
            if isinstance(node, Group):
                yield from _lacking(node, path, reader)

    def waits(self) -> dict[str, set[str]]:
        """The steps that each step waits for in some choice of branches; references to nothing are left out."""
        waits: dict[str, set[str]] = {}
        for step, place in self.walk():
            own = {other.id for other in place[1].steps} if place is not None else set()
            waits.setdefault(step.id, set()).update(
                other for reading in _readings(step) for other in self._targets(reading, own, place)
            )
        # References to nothing are reported elsewhere; a search for circles must not stumble over them.
        return {step: found & waits.keys() for step, found in waits.items()}

    def _targets(self, reading: _Reading, own: set[str], place: _Place) -> Iterator[str]:
        node = self.nodes.get(reading.node)
        if reading.node in own or isinstance(node, Step):
            yield reading.node
        elif isinstance(node, Group) and (place is None or node is not place[0]):
            for branch in node.branches:
                if reading.path is None:
                    # Whichever branch is chosen, all of it comes first.
                    yield from (step.id for step in branch.steps)
                elif reading.path in branch.exports:
                    yield branch.exports[reading.path].node


def _names(graph: Graph) -> Iterator[str]:
    """Ids and tools that occur more than once."""
    steps = [*graph.walk()]
    for id, times in Counter([group.id for group in graph.groups] + [step.id for step in steps]).items():
        if times > 1:
            yield f"id {id!r} occurs {times} times; groups and the steps of all branches need ids of their own"
    for tool, times in Counter(step.tool for step in steps).items():
        if times > 1:
            users = ", ".join(step.id for step in steps if step.tool == tool)
            yield f"tool {tool!r} occurs {times} times (steps {users}); a graph has each tool once"


def _groups(graph: Graph) -> Iterator[str]:
    """The problems of groups in themselves."""
    for group in graph.groups:
        if len(group.branches) < 2:
            yield f"group {group.id!r} has {len(group.branches)} branches; a group needs two or more, or is a step"
        for id, times in Counter(branch.id for branch in group.branches).items():
            if times > 1:
                yield f"group {group.id!r}: branch id {id!r} occurs {times} times; branches need ids of their own"
        for branch in group.branches:
            if not branch.steps:
                yield f"group {group.id!r}: branch {branch.id!r} is empty; give it a step or take it away"
            # Only one of the branches is done, so an export from another one's step would never come.
            own = {step.id for step in branch.steps}
            for name, source in branch.exports.items():
                if source.node not in own:
                    yield (
                        f"group {group.id!r}: branch {branch.id!r} takes export {name!r} from {source.node!r}, which is"
                        " not a step of the branch; take it from one of its steps"
                    )


def _lacking(group: Group, export: str, reader: str) -> Iterator[str]:
    """The branches that do not give an export that others give."""
    lacking = [branch.id for branch in group.branches if export not in branch.exports]
    # If no branch gives it, the step that reads it is wrong, and `reference` has reported that.
    if len(lacking) < len(group.branches):
        for id in lacking:
            yield (
                f"group {group.id!r}: branch {id!r} does not give export {export!r}, which {reader} reads;"
                " every branch gives what is read"
            )


def _inputs(task: Task) -> Iterator[str]:
    readers: dict[str, str] = {}
    for step in task.graph.walk():
        for name, binding in step.arguments.items():
            if isinstance(binding, UserInput):
                readers.setdefault(binding.name, f"step {step.id!r}: argument {name!r}")
    known = ", ".join(task.inputs) or "none"
    for name, where in readers.items():
        if name not in task.inputs:
            yield f"{where} takes user input {name!r}, which the task does not have; its inputs are: {known}"
    for name in task.inputs:
        if name not in readers:
            yield f"user input {name!r} is used by no step; bind it or take it away"


def _deliverables(task: Task) -> Iterator[str]:
    view = _View(task.graph)
    if not task.deliverables:
        yield "the task has no deliverables; say what its answer must contain"
    for label, times in Counter(deliverable.label for deliverable in task.deliverables).items():
        if times > 1:
            yield f"deliverable {label!r} occurs {times} times; labels tell deliverables apart"
    for deliverable in task.deliverables:
        where, source = f"deliverable {deliverable.label!r}", deliverable.source
        yield from view.reference(_Reading(where, source.node, source.path), None)
        node = view.nodes.get(source.node)
        if isinstance(node, Group):
            yield from _lacking(node, source.path, where)


def _unused(task: Task) -> Iterator[str]:
    """Steps whose answers are neither read nor delivered; waiting for a step does not use its answer."""
    fields = [field for step in task.graph.walk() for field in step.needs]
    fields += [deliverable.source for deliverable in task.deliverables]
    used = {field.node for field in fields}
    exported = {(field.node, field.path) for field in fields}
    for step, place in _View(task.graph).walk():
        given = False
        if place is not None:
            # Outside, a step of a group is known only by what its branch exports.
            group, branch = place
            given = any(
                source.node == step.id and (group.id, name) in exported for name, source in branch.exports.items()
            )
        if step.id not in used and not given:
            yield f"step {step.id!r}: its answer is not used; read it in a later step or make it a deliverable"


def _victim(task: Task) -> Iterator[str]:
    if task.victim and task.victim not in task.graph.by_id:
        yield f"victim {task.victim!r} is not a node of the graph; name a group, or a step outside of groups"
