"""docs/llms.txt: the pages for language models, by the llms.txt convention (llmstxt.org).

    python docs_site/llms.py    # writes it again, and the list of kinds in docs/plans.md

A title, a summary, and the pages of the navigation with the first sentence of each; the kinds of fault are optional.
The links are to Markdown, which lies in the repository and beside each page of the site.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from docs_site import reference  # noqa: E402
from sealegs.faults.kinds import KINDS  # noqa: E402

DOCS = ROOT / "docs"
FILE = DOCS / "llms.txt"
PLANS = DOCS / "plans.md"
LIST = re.compile(r"(?<=<!-- kinds -->\n).*?(?=\n<!-- end -->)", re.DOTALL)


def written() -> str:
    """The whole file."""
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    config = yaml.safe_load(re.sub(r"!!python/name:", "", settings))
    sections = (line for entry in config["nav"] for line in _section(entry))
    kinds = (f"- [`{name}`](faults/{name}.md): {reference.first_line(KINDS[name])}" for name in sorted(KINDS))
    head = [f"# {config['site_name']}", "", f"> {config['site_description']}"]
    return "\n".join([*head, *sections, "", "## Optional", "", *kinds]) + "\n"


def with_kinds(page: str) -> str:
    """The page of plans with its list of kinds as it should be."""
    return LIST.sub(lambda _: reference.kind_links(), page)


def _section(entry: dict[str, Any]) -> Iterator[str]:
    ((title, inside),) = entry.items()
    if not isinstance(inside, str):
        yield from ("", f"## {title}", "", *_pages(inside))


def _pages(entries: list[dict[str, Any]]) -> Iterator[str]:
    for entry in entries:
        ((title, inside),) = entry.items()
        if isinstance(inside, list):
            yield from _pages(inside)
        elif (DOCS / inside).is_file():
            yield f"- [{title}]({inside}): {_first_sentence(inside)}"


def _first_sentence(page: str) -> str:
    text = re.sub(r"^```.*?^```$", "", (DOCS / page).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    first = next(one for one in map(str.strip, text.split("\n\n")[1:]) if one and one[0] not in "#|<!")
    plain = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", first).replace("\n", " ").replace("*", "")
    return re.split(r"(?<=[.?!]) (?=[A-Z`])|:$", plain)[0]


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
    PLANS.write_text(with_kinds(PLANS.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"written: {FILE.relative_to(ROOT)}, {PLANS.relative_to(ROOT)}\n")
