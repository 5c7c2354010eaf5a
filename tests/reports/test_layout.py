"""Geometry that must hold for any graph, and the pictures of a few."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from sealegs.reports.layout import GAP_ACROSS, GAP_DOWN, BoxSize, Edge, Layout, PlacedBox, layered

SLACK = 1e-6


@st.composite
def drawn(draw: st.DrawFn, cyclic: bool = False) -> tuple[dict[str, BoxSize], list[Edge]]:
    count = draw(st.integers(0, 9))
    names = [f"n{i}" for i in range(count)]
    sizes = {name: BoxSize(draw(st.integers(30, 300)), draw(st.integers(20, 120))) for name in names}
    pairs = list(itertools.permutations(names, 2) if cyclic else itertools.combinations(names, 2))
    edges = draw(st.lists(st.sampled_from(pairs), max_size=14)) if pairs else []
    return sizes, edges


def box(size: int = 100) -> BoxSize:
    return BoxSize(size, 40)


def apart(one: PlacedBox, other: PlacedBox) -> bool:
    across = one.x + one.width <= other.x + SLACK or other.x + other.width <= one.x + SLACK
    return across or one.bottom <= other.y + SLACK or other.bottom <= one.y + SLACK


@settings(max_examples=300)
@given(drawn())
def test_boxes_lie_apart_inside_the_picture_and_edges_run_down_between_them(
    case: tuple[dict[str, BoxSize], list[Edge]],
) -> None:
    sizes, edges = case
    layout = layered(sizes, edges)
    for name, place in layout.places.items():
        assert (place.width, place.height) == (sizes[name].width, sizes[name].height)
        assert place.x >= -SLACK
        assert place.y >= -SLACK
        assert place.x + place.width <= layout.width + SLACK
        assert place.bottom <= layout.height + SLACK
    assert all(apart(one, other) for one, other in itertools.combinations(layout.places.values(), 2))
    assert set(layout.routes) == set(edges)
    for (upper, lower), points in layout.routes.items():
        assert layout.places[upper].bottom < layout.places[lower].y
        assert all(high[1] <= low[1] + SLACK for high, low in itertools.pairwise(points))
        assert_touches(layout.places[upper], points[0], layout.places[upper].bottom)
        assert_touches(layout.places[lower], points[-1], layout.places[lower].y)
    assert_no_edge_through_a_box(layout)


def assert_touches(place: PlacedBox, point: tuple[float, float], y: float) -> None:
    assert place.x < point[0] < place.x + place.width
    assert abs(point[1] - y) < SLACK


def assert_no_edge_through_a_box(layout: Layout) -> None:
    """Edges bend between the layers only, so it is their upright parts that could hit a box."""
    for edge, points in layout.routes.items():
        for (x, y), (to_x, to_y) in itertools.pairwise(points):
            if abs(x - to_x) > SLACK:
                assert abs(to_y - y - GAP_DOWN) < SLACK
                continue
            for name, place in layout.places.items():
                beside = x <= place.x + SLACK or x >= place.x + place.width - SLACK
                assert name in edge or beside or to_y <= place.y + SLACK or y >= place.bottom - SLACK


@settings(max_examples=200)
@given(drawn(cyclic=True))
def test_circles_are_drawn_too(case: tuple[dict[str, BoxSize], list[Edge]]) -> None:
    sizes, edges = case
    layout = layered(sizes, edges)
    assert layout.places.keys() == sizes.keys()
    assert all(apart(one, other) for one, other in itertools.combinations(layout.places.values(), 2))
    assert layout.routes.keys() <= set(edges)


def test_a_chain_is_straight_even_beside_an_edge_that_passes_it() -> None:
    sizes = {name: box(80 + 20 * n) for n, name in enumerate("abcd")}
    layout = layered(sizes, [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    assert max(p.middle for p in layout.places.values()) - min(p.middle for p in layout.places.values()) < 12
    for edge in ("ab", "bc", "cd"):
        points = layout.routes[edge[0], edge[1]]
        assert abs(points[0][0] - points[-1][0]) < SLACK


def test_sources_stand_right_above_what_they_are_for() -> None:
    layout = layered({name: box() for name in "abcx"}, [("a", "b"), ("b", "c"), ("x", "c")])
    assert layout.places["x"].y == layout.places["b"].y


def test_crossings_that_can_be_avoided_are() -> None:
    layout = layered({name: box() for name in "abcd"}, [("a", "d"), ("b", "c")])
    left, right = layout.routes["a", "d"], layout.routes["b", "c"]
    assert (left[0][0] < right[0][0]) == (left[-1][0] < right[-1][0])


def test_neighbours_keep_their_distance() -> None:
    layout = layered({"top": box(), "left": box(), "right": box()}, [("top", "left"), ("top", "right")])
    left, right = sorted((layout.places["left"], layout.places["right"]), key=lambda place: place.x)
    assert right.x - left.x - left.width == GAP_ACROSS
    assert abs(layout.places["top"].middle - (left.middle + right.middle) / 2) < SLACK
    assert left.y - layout.places["top"].bottom == GAP_DOWN


def test_nothing_to_draw() -> None:
    assert layered({}, []) == Layout({}, {}, 0.0, 0.0)
