"""Every tool and every group of the shipped corpus passes the kit."""

import pytest

from sealegs.world.check import bad_arguments, group_problems, tool_problems
from sealegs.world.corpus import load

CORPUS = load()


@pytest.mark.parametrize("name", sorted([*CORPUS.tools, *CORPUS.histories]))
def test_tool(name: str) -> None:
    tool = CORPUS.tools.get(name) or CORPUS.histories[name]
    assert tool_problems(tool, CORPUS) == []
    assert len(bad_arguments(tool)) >= 20


@pytest.mark.parametrize("name", sorted(CORPUS.groups))
def test_group(name: str) -> None:
    assert group_problems(CORPUS.groups[name], CORPUS) == []
