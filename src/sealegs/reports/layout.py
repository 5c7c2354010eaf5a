"""Places for the boxes of a directed graph: layers from top to bottom, few crossings, straight lines.

The method of Sugiyama, Tagawa and Toda (1981) in small: layers by longest path, a bend point in each layer that an edge
passes, order within layers by the mean of the neighbours, and places that minimise the squared distance to the
neighbours without changing the order. Meant for graphs of some dozens of boxes. An edge that closes a circle does
not count for the layers, and is left out where both its ends come to lie in one. It knows nothing of tasks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

Edge = tuple[str, str]
Key = Hashable
GAP_ACROSS = 22.0
GAP_DOWN = 40.0
BEND = 10.0
SWEEPS = 6
PORT = 13.0  # between two edges at one side of a box, and between an edge and a corner
OTHER_KIND = 0.1  # what a bend weighs beside a box: boxes stay near what they belong to, and bends give way


@dataclass(frozen=True, slots=True)
class BoxSize:
    """Width and height of a box, in pixels."""

    width: float
    height: float


@dataclass(frozen=True, slots=True)
class PlacedBox:
    """A box: its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """The middle from left to right."""
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class Layout:
    """Boxes by name, the points through which each edge runs (vertically through each), and the size of it all."""

    places: Mapping[str, PlacedBox]
    routes: Mapping[Edge, tuple[tuple[float, float], ...]]
    width: float
    height: float


def layered(sizes: Mapping[str, BoxSize], edges: Sequence[Edge]) -> Layout:
    """A layout of boxes of these sizes.

    Args:
        sizes: of each box; boxes without edges are placed too.
        edges: from the upper to the lower box; both are in `sizes`.
    """
    edges = tuple(dict.fromkeys(edge for edge in edges if edge[0] != edge[1]))
    ranks = _ranks(list(sizes), edges)
    # From the upper to the lower box even where an edge runs up, to close a circle: its bends are placed as of any
    # other.
    straight = [(u, v) if ranks[u] < ranks[v] else (v, u) for u, v in edges if ranks[u] != ranks[v]]
    chains = {(u, v): _chain(u, v, ranks) for u, v in straight}
    layers = _ordered(_layers(ranks, chains), chains)
    widths: dict[Key, float] = {key: size.width for key, size in sizes.items()}
    lefts = _across(layers, chains, widths)
    rows = _rows(layers, sizes)
    places = {name: _place(lefts[name], rows[ranks[name]], size) for name, size in sizes.items()}
    router = _Router(places, chains, lefts, rows, ranks)
    routes = {edge: router.route(edge) for edge in edges if ranks[edge[0]] != ranks[edge[1]]}
    right = max((lefts[key] + widths.get(key, BEND) for layer in layers for key in layer), default=0.0)
    return Layout(places, routes, right, rows[-1][1] if rows else 0.0)


def _ranks(names: Sequence[str], edges: Sequence[Edge]) -> dict[str, int]:
    """Layers by longest path; boxes that nothing comes before are pulled down to the boxes after them."""
    before = {name: {u for u, v in edges if v == name} for name in names}
    ranks: dict[str, int] = {}
    while len(ranks) < len(names):
        left = [name for name in names if name not in ranks]
        # Within a circle no box is ready, and one of them has to be the first.
        ready = next((name for name in left if before[name] <= ranks.keys()), left[0])
        ranks[ready] = 1 + max((ranks[other] for other in before[ready] & ranks.keys()), default=-1)
    for name in reversed(names):
        after = [ranks[v] for u, v in edges if u == name and ranks[v] > ranks[u]]
        if after and not before[name]:
            ranks[name] = min(after) - 1
    lowest = min(ranks.values(), default=0)
    return {name: rank - lowest for name, rank in ranks.items()}


def _chain(upper: str, lower: str, ranks: Mapping[str, int]) -> tuple[Key, ...]:
    """The edge as a chain of keys, one a layer: the boxes at its ends and its bends between."""
    return (upper, *((upper, lower, rank) for rank in range(ranks[upper] + 1, ranks[lower])), lower)


def _layers(ranks: Mapping[str, int], chains: Mapping[Edge, tuple[Key, ...]]) -> list[list[Key]]:
    layers: list[list[Key]] = [[] for _ in range(max(ranks.values(), default=-1) + 1)]
    for name, rank in ranks.items():
        layers[rank].append(name)
    for (upper, _), chain in chains.items():
        for offset, bend in enumerate(chain[1:-1], 1):
            layers[ranks[upper] + offset].append(bend)
    return layers


def _neighbours(chains: Mapping[Edge, tuple[Key, ...]]) -> tuple[dict[Key, list[Key]], dict[Key, list[Key]]]:
    above: dict[Key, list[Key]] = {}
    below: dict[Key, list[Key]] = {}
    for chain in chains.values():
        for upper, lower in itertools.pairwise(chain):
            above.setdefault(lower, []).append(upper)
            below.setdefault(upper, []).append(lower)
    return above, below


def _ordered(layers: list[list[Key]], chains: Mapping[Edge, tuple[Key, ...]]) -> list[list[Key]]:
    """The layers in the order with the fewest crossings that was met."""
    above, below = _neighbours(chains)
    best, fewest = layers, _crossings(layers, below)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        layers = _swept(layers, above, down=True) if down else _swept(layers, below, down=False)
        crossings = _crossings(layers, below)
        if crossings < fewest:
            best, fewest = layers, crossings
    return best


def _swept(layers: list[list[Key]], near: Mapping[Key, list[Key]], *, down: bool) -> list[list[Key]]:
    swept: list[list[Key]] = []
    order: dict[Key, float] = {}
    for layer in layers if down else reversed(layers):
        here = {key: float(place) for place, key in enumerate(layer)}
        means = {key: _mean([order[k] for k in near.get(key, ())], here[key]) for key in layer}
        arranged = sorted(layer, key=lambda key: means[key])
        # Shares of the layer's width: the next layer may have more boxes or fewer.
        order |= {key: place / max(1, len(arranged) - 1) * 10 for place, key in enumerate(arranged)}
        swept.append(arranged)
    return swept if down else swept[::-1]


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _crossings(layers: list[list[Key]], below: Mapping[Key, list[Key]]) -> int:
    count = 0
    for upper, lower in itertools.pairwise(layers):
        place = {key: n for n, key in enumerate(lower)}
        lines = [(n, place[key]) for n, top in enumerate(upper) for key in below.get(top, ())]
        count += sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in itertools.combinations(lines, 2))
    return count


def _across(
    layers: list[list[Key]], chains: Mapping[Edge, tuple[Key, ...]], widths: Mapping[Key, float]
) -> dict[Key, float]:
    """The left edge of everything."""
    above, below = _neighbours(chains)
    middles: dict[Key, float] = {}
    for layer in layers:
        middles |= _spread(layer, dict.fromkeys(layer, 0.0), widths)
    for near in (above, below) * SWEEPS:
        for layer in layers if near is above else reversed(layers):
            wanted = {key: _pull(key, near.get(key, ()), middles) for key in layer}
            middles |= _spread(layer, wanted, widths)
    lefts = {key: middle - widths.get(key, BEND) / 2 for key, middle in middles.items()}
    first = min(lefts.values(), default=0.0)
    return {key: left - first for key, left in lefts.items()}


def _pull(key: Key, near: Sequence[Key], middles: Mapping[Key, float]) -> float:
    """The place to which the neighbours pull a box or a bend; its own kind pulls more, so that chains are straight."""
    weights = [1.0 if isinstance(key, str) == isinstance(other, str) else OTHER_KIND for other in near]
    total = sum(weight * middles[other] for weight, other in zip(weights, near, strict=True))
    return total / sum(weights) if near else middles[key]


def _spread(layer: list[Key], wanted: Mapping[Key, float], widths: Mapping[Key, float]) -> dict[Key, float]:
    """Middles as near as can be to the wanted ones, in the layer's order and without overlap; bends give way first."""
    offsets = [0.0]
    for left, right in itertools.pairwise(layer):
        offsets.append(offsets[-1] + (widths.get(left, BEND) + widths.get(right, BEND)) / 2 + GAP_ACROSS)
    goals = [(wanted[key], 1.0 if isinstance(key, str) else OTHER_KIND) for key in layer]
    return dict(zip(layer, _apart(goals, offsets[: len(layer)]), strict=True))


def _apart(
    wanted: Sequence[tuple[float, float]], offsets: Sequence[float], low: float = -math.inf, high: float = math.inf
) -> list[float]:
    """Places nearest (weighted least squares) to the wanted ones, as far from one another as the offsets are or more.

    With the offsets taken off this is isotonic regression within bounds, solved by pooling adjacent violators.

    Args:
        wanted: places with their weights.
        offsets: the least distance of each place from the first one's.
        low, high: bounds of all places.
    """
    pools: list[tuple[float, float, int]] = []
    for (want, weight), offset in zip(wanted, offsets, strict=True):
        pool = (want - offset, weight, 1)
        while pools and pools[-1][0] > pool[0]:
            base, heavy, size = pools.pop()
            both = heavy + pool[1]
            pool = ((base * heavy + pool[0] * pool[1]) / both, both, size + pool[2])
        pools.append(pool)
    # Bounds that are the same for all may be applied afterwards: they change no pool.
    bases = [min(max(base, low), high - offsets[-1]) for base, _, size in pools for _ in range(size)]
    return [base + offset for base, offset in zip(bases, offsets, strict=True)]


def _rows(layers: list[list[Key]], sizes: Mapping[str, BoxSize]) -> list[tuple[float, float]]:
    """The top and the bottom of each layer."""
    rows: list[tuple[float, float]] = []
    for layer in layers:
        top = rows[-1][1] + GAP_DOWN if rows else 0.0
        rows.append((top, top + max((sizes[key].height for key in layer if isinstance(key, str)), default=0.0)))
    return rows


def _place(left: float, row: tuple[float, float], size: BoxSize) -> PlacedBox:
    return PlacedBox(left, (row[0] + row[1] - size.height) / 2, size.width, size.height)


class _Router:
    """Draws edges. Each leaves and enters a box as straight as can be, apart from the box's other edges."""

    def __init__(
        self,
        places: Mapping[str, PlacedBox],
        chains: Mapping[Edge, tuple[Key, ...]],
        lefts: Mapping[Key, float],
        rows: Sequence[tuple[float, float]],
        ranks: Mapping[str, int],
    ) -> None:
        self._places, self._chains, self._rows, self._ranks = places, chains, rows, ranks
        self._bends = {key: left + BEND / 2 for key, left in lefts.items() if not isinstance(key, str)}
        leaving = {edge: self._middle(chain[1]) for edge, chain in chains.items()}
        self._leaving = self._ports(0, leaving)
        entering = {
            edge: self._leaving[edge] if len(chain) == 2 else self._middle(chain[-2]) for edge, chain in chains.items()
        }
        self._entering = self._ports(-1, entering)

    def _middle(self, key: Key) -> float:
        return self._places[key].middle if isinstance(key, str) else self._bends[key]

    def _ports(self, end: int, goals: Mapping[Edge, float]) -> dict[Edge, float]:
        """The point where each edge touches the box at this end of its chain: as near to its goal as there is room."""
        sides: dict[Key, list[Edge]] = {}
        for edge in sorted(self._chains, key=lambda edge: goals[edge]):
            sides.setdefault(self._chains[edge][end], []).append(edge)
        ports: dict[Edge, float] = {}
        for key, edges in sides.items():
            place = self._places[str(key)]
            left, right = place.x + PORT, place.x + place.width - PORT
            wanted = [(min(max(goals[edge], left), right), 1.0) for edge in edges]
            apart = min(PORT, (right - left) / max(1, len(edges) - 1))
            found = _apart(wanted, [apart * nth for nth in range(len(edges))], left, right)
            ports |= dict(zip(edges, found, strict=True))
        return ports

    def route(self, edge: Edge) -> tuple[tuple[float, float], ...]:
        """The points of an edge, bending between the layers only; one that runs upwards is its turn backwards."""
        turned = edge not in self._chains
        way = (edge[1], edge[0]) if turned else edge
        upper, lower = way
        start, end = self._leaving[way], self._entering[way]
        points = [(start, self._places[upper].bottom), (start, self._rows[self._ranks[upper]][1])]
        for bend in self._chains[way][1:-1]:
            assert isinstance(bend, tuple)
            top, bottom = self._rows[bend[2]]
            points += [(self._bends[bend], top), (self._bends[bend], bottom)]
        points += [(end, self._rows[self._ranks[lower]][0]), (end, self._places[lower].y)]
        return tuple(points[::-1] if turned else points)
