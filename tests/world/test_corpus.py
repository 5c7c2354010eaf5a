"""Every tool and every group of the shipped corpus passes the kit, and each domain is a folder."""

from collections import Counter
from pathlib import Path

import pytest

from sealegs.world.corpus import load_corpus, load_corpus_file
from sealegs.world.corpus_check import bad_arguments, group_problems, tool_problems
from sealegs.world.tool import DOMAINS, Answer, SimulatedTool, World, simulated_tool

CORPUS = load_corpus()
DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", sorted([*CORPUS.tools, *CORPUS.histories]))
def test_tool(name: str) -> None:
    tool = CORPUS.tools.get(name) or CORPUS.histories[name]
    assert tool_problems(tool, CORPUS) == []
    assert len(bad_arguments(tool)) >= 20


@pytest.mark.parametrize("name", sorted(CORPUS.groups))
def test_group(name: str) -> None:
    assert group_problems(CORPUS.groups[name], CORPUS) == []


@pytest.mark.parametrize("kind", ["tools", "histories"])
def test_tools_come_by_domain_module_and_name(kind: str) -> None:
    tools: list[SimulatedTool] = list(getattr(CORPUS, kind).values())
    places = [(DOMAINS.index(tool.domain), tool.run.__module__, tool.name) for tool in tools]
    assert places == sorted(places)
    assert {tool.domain for tool in tools} == set(DOMAINS)


def test_the_pages_count_what_ships() -> None:
    tools, groups, histories = len(CORPUS.tools), len(CORPUS.groups), len(CORPUS.histories)
    own, maze = ((DOCS / page).read_text("utf-8") for page in ("world.md", "maze.md"))
    of_world, of_maze = (" ".join(page.split()) for page in (own, maze))  # wherever a line is broken
    assert f"({tools} tools, {groups} groups, and another {histories} history tools)" in of_world
    assert f" on {tools} simulated tools of " in of_maze
    assert f"\n| tools, alternative groups | {tools}, {groups} |" in maze
    categories = Counter(tool.category for tool in CORPUS.tools.values())
    counted = ", ".join(str(categories[name]) for name in ("action", "source", "processor"))
    assert f"\n| action, source, processor tools | {counted} |" in maze
    kinds = Counter(group.kind for group in CORPUS.groups.values())
    counted = ", ".join(str(kinds[name]) for name in ("1-to-1", "1-to-n", "n-to-n"))
    assert f"\n| 1-to-1, 1-to-n, n-to-n groups | {counted} |" in maze


def test_the_domain_is_the_folder() -> None:
    found = {tool.run.__module__.split(".")[-2]: tool.domain for tool in CORPUS.tools.values()}
    assert found == {domain: domain for domain in DOMAINS}


def test_a_file_in_no_package_is_a_domain_of_its_own(tmp_path: Path) -> None:
    garden = Path(__file__).parent.parent.parent / "examples" / "garden.py"
    (tmp_path / "orchard.py").write_text(garden.read_text().replace('    domain="garden",\n', ""))
    corpus = load_corpus_file(tmp_path / "orchard.py")
    assert {tool.domain for tool in (*corpus.tools.values(), *corpus.histories.values())} == {"orchard"}


def test_a_domain_can_be_named() -> None:
    @simulated_tool(domain="own", category="source", answer=Answer, examples=[])
    def named(world: World) -> dict[str, object]:
        """Answer nothing."""
        return {}

    @simulated_tool(category="source", answer=Answer, examples=[])
    def unnamed(world: World) -> dict[str, object]:
        """Answer nothing."""
        return {}

    assert (named.domain, unnamed.domain) == ("own", "world")
