"""Random small graphs and states: groups, chains, cross dependencies, `after`, exports of any step of a branch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from hypothesis import strategies as st

from sealegs.tasks.graph import Binding, Branch, Constant, Field, Graph, Group, Node, Step
from sealegs.tasks.recovery_cost import Persistence, State
from tests.tasks.brute_force import acyclic

Reference = tuple[str, str]  # node and path; the path is empty for `after`
Shape = list[int]  # steps of each branch; empty for a step outside groups


@st.composite
def shapes(draw: st.DrawFn, max_nodes: int, max_steps: int, groups: bool = True) -> list[Shape]:
    """Nodes with at most so many steps in one solution."""
    found: list[Shape] = []
    if not groups:
        return [[] for _ in range(draw(st.integers(1, min(max_nodes, max_steps))))]
    left = max_steps
    for _ in range(draw(st.integers(1, max_nodes))):
        sizes = draw(st.one_of(st.just([]), st.lists(st.integers(1, min(3, left)), min_size=2, max_size=3)))
        found.append(sizes)
        left -= max(sizes, default=1)
        if left < 1:
            break
    return found


@st.composite
def graphs(draw: st.DrawFn, max_nodes: int = 5, max_steps: int = 7, groups: bool = True) -> Graph:
    """Valid graphs whose steps, over all branches, can be put in one order that suits every choice."""
    drawn = draw(shapes(max_nodes, max_steps, groups))
    exports = _exports(draw, drawn)
    ids = [step for node in _ids(drawn) for branch in node for step in branch]
    rank = {id: place for place, id in enumerate(draw(st.permutations(ids)))}
    chance = draw(st.sampled_from([24, 64, 128, 200]))

    def fits(step: str, reference: Reference) -> bool:
        return all(rank[giver] < rank[step] for giver in _givers(drawn, exports, reference))

    possible = {step: [ref for ref in _references(drawn, exports, step) if fits(step, ref)] for step in ids}
    return _built(drawn, exports, {step: _some(draw, found, chance) for step, found in possible.items()})


@st.composite
def knotted_graphs(draw: st.DrawFn, max_nodes: int = 4, max_steps: int = 6) -> Graph:
    """Valid graphs with no such order: following all branches at once may go round in a circle, no choice does."""
    drawn = draw(shapes(max_nodes, max_steps))
    exports = _exports(draw, drawn)
    ids = [step for node in _ids(drawn) for branch in node for step in branch]
    possible = [(step, ref) for step in ids for ref in _references(drawn, exports, step)]
    chosen: dict[str, list[Reference]] = {step: [] for step in ids}
    for step, reference in draw(st.permutations(possible))[:24]:
        wider = {**chosen, step: [*chosen[step], reference]}
        if acyclic(_built(drawn, exports, wider)):
            chosen = wider
    return _built(drawn, exports, chosen)


@st.composite
def loose_graphs(draw: st.DrawFn, max_nodes: int = 4, max_steps: int = 6) -> Graph:
    """Graphs that are good but for cycles, which they may have."""
    drawn = draw(shapes(max_nodes, max_steps))
    exports = _exports(draw, drawn)
    ids = [step for node in _ids(drawn) for branch in node for step in branch]
    chance = draw(st.sampled_from([16, 40, 90]))
    return _built(
        drawn, exports, {step: _some(draw, [*_references(drawn, exports, step), (step, "v")], chance) for step in ids}
    )


@st.composite
def states(draw: st.DrawFn, graph: Graph) -> State:
    """Any state that fits a graph: reachable or not, with broken tools and pending faults."""
    fault: st.SearchStrategy[Persistence] = st.sampled_from(["transient", "permanent"])
    done, broken, faulted = (
        frozenset(_subset(draw, list(graph.steps), draw(st.sampled_from([0, 30, 100, 180])))) for _ in range(3)
    )
    pending: dict[str, Persistence] = {}
    for group in graph.groups:
        inside = {step.id for branch in group.branches for step in branch.steps}
        if not inside & done and draw(st.booleans()):
            pending[group.id] = draw(fault)
            faulted -= inside
    for step in graph.steps:
        if step in faulted - done:
            pending[step] = draw(fault)
    return State(done, frozenset(graph.steps[step].tool for step in broken), pending)


def _subset(draw: st.DrawFn, items: list[str], chance: int) -> Iterator[str]:
    dice = draw(st.binary(min_size=len(items), max_size=len(items)))
    return (item for item, die in zip(items, dice, strict=True) if die < chance)


def _some(draw: st.DrawFn, references: list[Reference], chance: int) -> list[Reference]:
    dice = draw(st.binary(min_size=len(references), max_size=len(references)))
    return [reference for reference, die in zip(references, dice, strict=True) if die >= 256 - chance]


def _ids(drawn: list[Shape]) -> list[list[list[str]]]:
    """Step ids by node and branch; a step outside groups is one branch of one."""
    return [
        [[f"{node}.{branch}.{step}" for step in range(size)] for branch, size in enumerate(sizes)] or [[str(node)]]
        for node, sizes in enumerate(drawn)
    ]


def _exports(draw: st.DrawFn, drawn: list[Shape]) -> dict[str, dict[str, list[str]]]:
    """For each group its exports with the giver in each branch."""
    return {
        str(node): {
            f"e{number}": [branch[draw(st.integers(0, len(branch) - 1))] for branch in branches]
            for number in range(draw(st.integers(0, 2)))
        }
        for node, (sizes, branches) in enumerate(zip(drawn, _ids(drawn), strict=True))
        if sizes
    }


def _references(drawn: list[Shape], exports: dict[str, dict[str, list[str]]], step: str) -> list[Reference]:
    """Everything that a step may name."""
    found: list[Reference] = []
    for node, branches in enumerate(_ids(drawn)):
        own = [branch for branch in branches if step in branch]
        if own or not drawn[node]:
            found += [(other, path) for other in (own or branches)[0] if other != step for path in ("v", "")]
        else:
            found += [(str(node), path) for path in [*exports[str(node)], ""]]
    return found


def _givers(drawn: list[Shape], exports: dict[str, dict[str, list[str]]], reference: Reference) -> list[str]:
    node, path = reference
    if node not in exports:
        return [node]
    return exports[node][path] if path else [step for branch in _ids(drawn)[int(node)] for step in branch]


def _built(drawn: list[Shape], exports: dict[str, dict[str, list[str]]], chosen: dict[str, list[Reference]]) -> Graph:
    def step(id: str) -> Step:
        fields = [reference for reference in chosen[id] if reference[1]]
        arguments: dict[str, Binding] = {f"a{number}": Field(*field) for number, field in enumerate(fields)}
        return Step(
            id, f"tool_{id}", {**arguments, "c": Constant(1)}, tuple(node for node, path in chosen[id] if not path)
        )

    nodes: list[Node] = []
    for number, (sizes, branches) in enumerate(zip(drawn, _ids(drawn), strict=True)):
        if not sizes:
            nodes.append(step(branches[0][0]))
            continue
        given = exports[str(number)]
        nodes.append(
            Group(
                str(number),
                tuple(
                    Branch(
                        f"b{place}",
                        tuple(map(step, ids)),
                        {name: Field(givers[place], "v") for name, givers in given.items()},
                    )
                    for place, ids in enumerate(branches)
                ),
            )
        )
    return Graph(tuple(nodes))


def chain(first: str, *rest: str) -> tuple[Step, ...]:
    """Steps of which each reads the one before it; a step's tool has the step's name."""
    pairs = pairwise((first, *rest))
    return Step(first, first, {}), *(Step(step, step, {"x": Field(before, "v")}) for before, step in pairs)
