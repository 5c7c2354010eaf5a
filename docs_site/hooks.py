"""What MkDocs does for this site beyond its settings: pages from the code, files from outside `docs/`, sources.

- `on_config` fills the navigation's entry `faults/` with the pages of the kinds.
- `on_files` adds the pages of `reference.PAGES`, CONTRIBUTING.md, and the files outside `docs/` that pages link to.
- `on_page_markdown` turns a link that leaves `docs/` into one to the copy on the site; an interval stays on one line.
- `on_post_build` lays the Markdown of every page beside it, for the links of `llms.txt`.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from docs_site import reference

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
PAGES = {"CONTRIBUTING.md": "contributing.md"}  # files of the repository that are pages of the site
INTERVAL = re.compile(r"(\[-?[\d.]+,) (?=-?[\d.]+\])")
LINK = re.compile(r"(?<=\]\()(?P<target>[^)#\s:]+)(?=[)#])")


def filled(nav: list[Any]) -> list[Any]:
    """The navigation with the pages of the kinds in place of `faults/`."""
    return [_filled(entry) for entry in nav]


def _filled(entry: Any) -> Any:
    if isinstance(entry, str):
        return entry
    ((title, inside),) = entry.items()
    if inside == "faults/":
        groups = {"Explicit": reference.kinds(implicit=False), "Implicit": reference.kinds(implicit=True)}
        pages = [{group: [f"faults/{name}.md" for name in names]} for group, names in groups.items()]
        return {title: ["faults/index.md", *pages]}
    return {title: filled(inside) if isinstance(inside, list) else inside}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The navigation, with the kinds."""
    config.nav = filled(config.nav or [])
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The files of `docs/`, and those that are made or lie elsewhere."""
    from mkdocs.structure.files import File

    for place, write in reference.PAGES.items():
        files.append(File.generated(config, place, content=write()))
    docs = Path(config.docs_dir)
    sources = {source: source.relative_to(docs).as_posix() for source in docs.rglob("*.md")}
    linked = {one for path, place in sources.items() for one in outside(path.read_text(encoding="utf-8"), place)}
    for source in sorted(linked | set(PAGES)):
        files.append(File.generated(config, _place(source), content=(ROOT / source).read_bytes()))
    return files


def outside(markdown: str, page: str) -> set[str]:
    """The files of the repository outside `docs/` that a page links to."""
    targets = (_target(found["target"], page) for found in LINK.finditer(markdown))
    return {target for target in targets if not target.startswith("docs/") and (ROOT / target).is_file()}


def on_page_markdown(markdown: str, page: Page, **rest: Any) -> str:
    """The page, with links into the site alone."""
    here = page.file.src_uri
    away = outside(markdown, here)

    def moved(found: re.Match[str]) -> str:
        target = _target(found["target"], here)
        if target not in away and here not in PAGES.values():
            return found["target"]
        return posixpath.relpath(_place(target), posixpath.dirname(here) or ".")

    return INTERVAL.sub("\\1\N{NO-BREAK SPACE}", LINK.sub(moved, markdown))


def _target(link: str, page: str) -> str:
    """The path of a link's target in the repository; a page that is a file beside `docs/` has links from there."""
    folder = "." if page in PAGES.values() else posixpath.join("docs", posixpath.dirname(page))
    return posixpath.normpath(posixpath.join(folder, link))


def _place(source: str) -> str:
    """Where a file of the repository lies on the site."""
    return source.removeprefix("docs/") if source.startswith("docs/") else PAGES.get(source, f"files/{source}")


def on_post_build(config: MkDocsConfig) -> None:
    """The Markdown of the pages beside them."""
    docs, site = Path(config.docs_dir), Path(config.site_dir)
    for source in docs.rglob("*.md"):
        place = site / source.relative_to(docs)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(source.read_bytes())
