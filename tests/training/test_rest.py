"""What can still be done where a tool is broken for good."""

import pytest

from sealegs.tasks.graph import Branch, Field, Graph, Group, Step, UserInput
from sealegs.training.data.rest import still_possible

GIVEN = UserInput("x")
GRAPH = Graph(
    (
        Step("a", "tool_a", {"x": GIVEN}),
        Step("b", "tool_b", {"x": Field("a", "value")}),
        Group(
            "g",
            (
                Branch("short", (Step("g1", "tool_g1", {"x": GIVEN}),), {"value": Field("g1", "value")}),
                Branch(
                    "long",
                    (Step("g2", "tool_g2", {"x": GIVEN}), Step("g3", "tool_g3", {"x": Field("b", "value")}, ("g2",))),
                    {"value": Field("g3", "value")},
                ),
            ),
        ),
        Step("c", "tool_c", {"x": Field("g", "value")}),
        Step("d", "tool_d", {"x": GIVEN}, ("b",)),
    )
)


@pytest.mark.parametrize(
    ("done", "broken", "wanted"),
    [
        ((), ("tool_a",), ("g1",)),  # b and d wait for what is lost, and so does the longer branch
        (("g1",), ("tool_a",), ("c",)),
        (("g1", "c"), ("tool_a",), ()),
        ((), ("tool_g1",), ("a", "g2")),
        (("a",), ("tool_b", "tool_g1"), ()),  # the other branch needs b
        (("a", "b"), ("tool_g1",), ("g2", "d")),
        (("g2",), ("tool_g3",), ("a", "g1")),  # another branch than the one that was begun
        (("a",), ("tool_a",), ("b", "g1")),  # its answer is there
    ],
)
def test_the_next_steps_of_what_is_not_lost(
    done: tuple[str, ...], broken: tuple[str, ...], wanted: tuple[str, ...]
) -> None:
    assert still_possible(GRAPH, set(done), set(broken)) == wanted
