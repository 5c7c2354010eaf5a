"""Every page can be reached, every link leads somewhere, and the site is ordered as the files are."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from docs_site import hooks, llms, reference

from sealegs.cli.verbs.run import NEXT
from sealegs.faults.kinds import KINDS
from tests.docs.pages import DOCS, ROOT, pages, text_of

LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)|!\[[^\]]*\]\((?P<image>[^)\s]+)\)")
CODE = re.compile(r"^ *```.*?^ *```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
MADE = {f"docs/{place}" for place in reference.PAGES}


class Settings(yaml.SafeLoader):
    """mkdocs.yml, whose names of Python's are not looked up."""


Settings.add_multi_constructor("tag:yaml.org,2002:python/name:", lambda loader, name, node: name)


def nav() -> Iterator[str]:
    """The pages of the navigation, in its order, as places in docs/."""
    config = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Settings)
    yield from leaves(hooks.filled(config["nav"]))


def leaves(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    else:
        for one in entry if isinstance(entry, list) else entry.values():
            yield from leaves(one)


def links(page: str) -> Iterator[str]:
    text = CODE.sub("", text_of(page))
    yield from (found["target"] or found["image"] for found in LINK.finditer(text))


def anchors(page: str) -> set[str]:
    """The anchors of a page: its headings as MkDocs and GitHub name them, and those that are written out."""
    text = re.sub(r"^ *```.*?^ *```$", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    named = {re.sub(r"[^\w\s-]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
    return named | set(re.findall(r'<a id="([^"]+)">', text))


@pytest.mark.parametrize("page", pages())
def test_links_lead_somewhere(page: str) -> None:
    for link in links(page):
        if re.match(r"https?:", link):
            continue
        target, _, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target)) if target else page
        assert path in MADE or (ROOT / path).exists(), f"{page}: there is no {path}"
        assert not anchor or anchor in anchors(path), f"{page}: {path} has no #{anchor}"


def test_the_navigation_names_every_page_once() -> None:
    there = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")} | set(reference.PAGES)
    assert sorted(nav()) == sorted(there | set(hooks.PAGES.values()))


def test_every_page_is_linked_from_another() -> None:
    linked = {
        posixpath.normpath(posixpath.join(posixpath.dirname(page), link.partition("#")[0]))
        for page in pages()
        for link in links(page)
    }
    assert [page for page in pages() if page not in linked | {"README.md"}] == []


def test_the_front_page_leads_to_every_guide() -> None:
    here = {link.partition("#")[0] for link in links("docs/index.md")}
    apart = {"index.md", "contributing.md", *reference.PAGES}
    assert {page for page in nav() if not page.startswith("faults/")} - apart <= here


def test_made_pages_tell_all() -> None:
    faults, schema = reference.faults(), reference.plan_schema()
    assert all(f"[`{kind}`]({kind}.md)" in faults for kind in KINDS)
    assert "## Plan\n" in schema
    assert "| `at_most` |" in schema
    assert "sealegs plan check" in reference.command()
    assert "::: sealegs.inject.session.Session" in reference.python()


def test_the_list_for_language_models_is_that_of_the_pages() -> None:
    assert (DOCS / "llms.txt").read_text(encoding="utf-8") == llms.written(), "run: python docs_site/llms.py"


def test_the_page_of_plans_lists_the_kinds() -> None:
    page = llms.PLANS.read_text(encoding="utf-8")
    assert llms.with_kinds(page) == page, "run: python docs_site/llms.py"
    assert llms.with_kinds(page.replace("[empty](faults/empty.md), ", "")) == page


def test_the_last_line_of_a_run_names_what_is_there() -> None:
    (heading,) = re.findall(r'README.md shows it under "([^"]+)"', NEXT)
    assert f"\n## {heading}\n" in text_of("README.md")
    assert all((ROOT / page).is_file() for page in re.findall(r"docs/[\w/.-]+\.md", NEXT))


def test_the_readme_is_short_and_true() -> None:
    text = text_of("README.md")
    assert len(text.split()) <= 660
    assert "There are over thirty\n[kinds of fault]" in text
    assert 30 < len(KINDS) < 40
