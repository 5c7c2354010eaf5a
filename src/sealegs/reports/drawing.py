"""A task's graph as shapes: steps as boxes, groups as frames with their branches side by side, calls as numbered marks.

Shapes have places in pixels and states in words; the template and the style sheet decide how they look.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from sealegs.reports.calls import call_marks
from sealegs.reports.layout import BoxSize, Layout, PlacedBox, layered
from sealegs.scoring import Case, Verdict
from sealegs.scoring.task_progress import TaskProgress, node_of
from sealegs.tasks.graph import Branch, Graph, Group, Node, Step

CHARACTER = 7.05  # the width of a letter of the boxes' font, in pixels
LINE = 15.0
LETTERS = 20
MARK = 21.0
PAD = 12.0
HEAD = 22.0
BRANCH_HEAD = 27.0  # leaves room for a tag on the first box
GAP = 22.0
MARGIN = 14.0
TAG = 7.0
Shape = TypeVar("Shape", "Frame", "Box")


@dataclass(frozen=True, slots=True)
class Mark:
    """A call on its step: its number from 1, its word (see `calls.MARKS`), and its middle."""

    number: int
    word: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Box:
    """A step.

    Attributes:
        place: where.
        lines: its tool's name, broken after underscores.
        state: `done`, `tried` or `idle`.
        victim: whether a fault struck it.
        answer: whether the user asked for something of its answer.
        marks: its calls.
    """

    place: PlacedBox
    lines: tuple[str, ...]
    state: str
    victim: bool
    answer: bool
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """A group (with its kind) or one of its branches, with the same states as a box."""

    place: PlacedBox
    label: str
    state: str
    branch: bool
    answer: bool = False


@dataclass(frozen=True, slots=True)
class EdgePath:
    """An edge as the path of an SVG, with the path of its arrow's tip; `used` where both of its ends were called."""

    path: str
    tip: str
    used: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    """All shapes of an episode's graph, the marks of calls outside it, and the size."""

    frames: tuple[Frame, ...]
    boxes: tuple[Box, ...]
    lines: tuple[EdgePath, ...]
    width: float
    height: float


def drawing(case: Case, way: TaskProgress, verdict: Verdict) -> Drawing:
    """The drawing of an episode over its task's graph."""
    pen = _Pen(case, way, verdict)
    graph = case.task.graph
    found = layered({node.id: pen.size(node) for node in graph.nodes}, _edges(graph))
    shapes = [shape for node in graph.nodes for shape in pen.shapes(node, found.places[node.id])]
    lines = [*pen.between(graph, found), *(shape for shape in shapes if isinstance(shape, EdgePath))]
    return Drawing(
        tuple(_moved(shape) for shape in shapes if isinstance(shape, Frame)),
        tuple(_moved(shape) for shape in shapes if isinstance(shape, Box)),
        tuple(lines),
        found.width + 2 * MARGIN,
        found.height + 2 * MARGIN,
    )


def _edges(graph: Graph) -> list[tuple[str, str]]:
    """The pairs of nodes of which the second waits for the first, groups as wholes."""
    ends = [
        (graph.home[before][0].id if before in graph.home else before, node_of(step, graph))
        for step in graph.walk()
        for before in _before(step)
    ]
    return sorted({(u, v) for u, v in ends if u != v}, key=ends.index)


def _before(step: Step) -> Iterator[str]:
    yield from (need.node for need in step.needs)
    yield from step.after


@dataclass(frozen=True)
class _Pen:
    """Draws one node at a time."""

    case: Case
    way: TaskProgress
    verdict: Verdict

    def calls(self, step: Step) -> list[tuple[int, str]]:
        words = call_marks(self.way, self.verdict)
        return [
            (n, word) for n, (move, word) in enumerate(zip(self.way.moves, words, strict=True), 1) if move.step == step
        ]

    def state(self, steps: Sequence[Step]) -> str:
        if all(step.id in self.way.done for step in steps):
            return "done"
        return "tried" if any(self.calls(step) for step in steps) else "idle"

    def called(self, node: Node) -> bool:
        return any(self.calls(step) for step in _steps(node))

    def answers(self, node: str) -> bool:
        return any(deliverable.source.node == node for deliverable in self.case.task.deliverables)

    def size(self, node: Node) -> BoxSize:
        if isinstance(node, Step):
            return self._box_size(node)
        sizes = [self._branch_size(branch) for branch in node.branches]
        label = len(_group_label(node)) * CHARACTER * 0.9 + 2 * PAD
        width = max(label, sum(size.width for size in sizes) + PAD * (len(sizes) + 1))
        return BoxSize(width, max(size.height for size in sizes) + HEAD + PAD)

    def _branch_size(self, branch: Branch) -> BoxSize:
        sizes = [self._box_size(step) for step in branch.steps]
        width = max(*(size.width for size in sizes), len(branch.id) * CHARACTER * 0.9) + 2 * PAD
        return BoxSize(width, sum(size.height for size in sizes) + GAP * (len(sizes) - 1) + BRANCH_HEAD + PAD)

    def _box_size(self, step: Step) -> BoxSize:
        lines = _broken(step.tool)
        width = max(104.0, max(map(len, lines)) * CHARACTER + 20)
        rows = math.ceil(len(self.calls(step)) / _a_row(width))
        tag = TAG if self.answers(step.id) else 0.0
        return BoxSize(width, len(lines) * LINE + 14 + rows * (MARK + 2) + tag)

    def shapes(self, node: Node, place: PlacedBox) -> Iterator[Frame | Box | EdgePath]:
        if isinstance(node, Step):
            yield self._box(node, place.x, place.y)
            return
        state = max((self.state(b.steps) for b in node.branches), key=["idle", "tried", "done"].index)
        yield Frame(place, _group_label(node), state, False, self.answers(node.id))
        sizes = [self._branch_size(branch) for branch in node.branches]
        left = place.x + (place.width - sum(size.width for size in sizes) - PAD * (len(sizes) - 1)) / 2
        for branch, size in zip(node.branches, sizes, strict=True):
            room = PlacedBox(left, place.y + HEAD, size.width, place.height - HEAD - PAD)
            yield Frame(room, branch.id, self.state(branch.steps), True)
            yield from self._stack(branch, room)
            left += size.width + PAD

    def _stack(self, branch: Branch, room: PlacedBox) -> Iterator[Box | EdgePath]:
        """A branch's steps one below the other, with the lines between them."""
        boxes: dict[str, Box] = {}
        top = room.y + BRANCH_HEAD
        for step in branch.steps:
            size = self._box_size(step)
            boxes[step.id] = self._box(step, room.middle - size.width / 2, top)
            top += size.height + GAP
        yield from boxes.values()
        order = list(boxes)
        for step in branch.steps:
            for before in dict.fromkeys(other for other in _before(step) if other in boxes):
                used = bool(boxes[before].marks and boxes[step.id].marks)
                near = abs(order.index(step.id) - order.index(before)) == 1
                inner = _straight if near else _round
                yield inner(boxes[before].place, boxes[step.id].place, room, used)

    def _box(self, step: Step, x: float, y: float) -> Box:
        size, lines, calls = self._box_size(step), _broken(step.tool), self.calls(step)
        a_row = _a_row(size.width)
        shown = []
        for nth, (number, word) in enumerate(calls):
            row, column = divmod(nth, a_row)
            here = min(a_row, len(calls) - row * a_row)
            middle = x + size.width / 2 + (column - (here - 1) / 2) * MARK
            shown.append(Mark(number, word, middle + MARGIN, y + len(lines) * LINE + 19 + row * MARK + MARGIN))
        victim = step.tool in self.way.victims.values()
        place = PlacedBox(x, y, size.width, size.height)
        return Box(place, lines, self.state([step]), victim, self.answers(step.id), tuple(shown))

    def between(self, graph: Graph, found: Layout) -> Iterator[EdgePath]:
        """The lines between nodes."""
        for (upper, lower), points in found.routes.items():
            used = self.called(graph.by_id[upper]) and self.called(graph.by_id[lower])
            yield _curve(points, used)


def _steps(node: Node) -> list[Step]:
    return [node] if isinstance(node, Step) else [step for branch in node.branches for step in branch.steps]


def _group_label(group: Group) -> str:
    return f"one of these: {group.id} ({group.kind})"


def _broken(tool: str) -> tuple[str, ...]:
    """A tool's name in lines, broken after underscores where it must be."""
    lines = [""]
    for part in tool.replace("_", "_\n").split("\n"):
        if lines[-1] and len(lines[-1] + part) > LETTERS:
            lines.append("")
        lines[-1] += part
    return tuple(lines)


def _a_row(width: float) -> int:
    return max(1, int((width - 8) / MARK))


def _curve(points: Sequence[tuple[float, float]], used: bool) -> EdgePath:
    """A line that is vertical at each point."""
    (x, y), *rest = [(x + MARGIN, y + MARGIN) for x, y in points]
    path = f"M{x:.1f} {y:.1f}"
    for to_x, to_y in rest:
        if abs(to_x - x) < 0.5:
            path += f" L{to_x:.1f} {to_y:.1f}"
        else:
            half = (to_y - y) / 2
            path += f" C{x:.1f} {y + half:.1f} {to_x:.1f} {to_y - half:.1f} {to_x:.1f} {to_y:.1f}"
        x, y = to_x, to_y
    return EdgePath(path, f"M{x - 3.5:.1f} {y - 6:.1f}h7l-3.5 6z", used)


def _straight(upper: PlacedBox, lower: PlacedBox, _: PlacedBox, used: bool) -> EdgePath:
    """A line from a box of a branch to the next one."""
    return _curve([(upper.middle, upper.bottom), (lower.middle, lower.y)], used)


def _round(upper: PlacedBox, lower: PlacedBox, room: PlacedBox, used: bool) -> EdgePath:
    """A line from a box of a branch round the side, past others."""
    (x, y), (to_x, to_y) = [(place.x + MARGIN, place.y + place.height / 2 + MARGIN) for place in (upper, lower)]
    side = room.x + 2 + MARGIN
    path = f"M{x:.1f} {y:.1f} C{side:.1f} {y:.1f} {side:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"
    return EdgePath(path, f"M{to_x - 6:.1f} {to_y - 3.5:.1f}v7l6 -3.5z", used)


def _moved(shape: Shape) -> Shape:
    place = shape.place
    return replace(shape, place=PlacedBox(place.x + MARGIN, place.y + MARGIN, place.width, place.height))
