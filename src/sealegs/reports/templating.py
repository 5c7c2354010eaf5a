"""Pages from the templates, and the policy on a page's scripts and styles in a browser. Needs the extra `report`.

Each page has a content security policy that permits nothing but what the templates themselves hold: their styles and
scripts, by hash. So a text of others that came into a page as markup after all would do nothing. The templates mark
what is theirs with `own`, a word that is drawn anew for each page, so that no text could have been prepared for it, and
that is gone from the page itself: equal data give equal pages. The documentation's site is made elsewhere.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
import secrets
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from sealegs.faults.visible_text import visible
from sealegs.reports.metric_grids import figure

FIRST = '<meta charset="utf-8">\n'  # of every page; the policy comes behind it, before anything else
POLICY = '<meta http-equiv="Content-Security-Policy" content="{}">\n'


class PolicedPage(jinja2.Template):
    """A template of a whole page."""

    def render(self, *given: Any, **values: Any) -> str:
        """The page, with every sign visible, and with its policy."""
        own = f"own-{secrets.token_hex(16)}:"
        return _with_policy(visible(super().render(*given, **values, own=own)), own)


@cache
def environment() -> jinja2.Environment:
    """The templates of this room, and files named by their place; what is put into them is escaped."""
    found = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader("sealegs.reports", "templates"), jinja2.FunctionLoader(_own)]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.template_class = PolicedPage
    found.filters["figure"] = figure
    found.filters["chart"] = _chart
    return found


def _own(path: str) -> str | None:
    """The template of a package of its own, which is named by its place."""
    file = Path(path)
    return file.read_text(encoding="utf-8") if file.is_absolute() and file.is_file() else None


@jinja2.pass_context
def _chart(context: jinja2.runtime.Context, svg: str) -> Markup:
    """A chart that we drew, whose styles are ours."""
    own = context["own"]
    return Markup(re.sub(r"(<style\b[^<>]*)>", rf"\1 {own}>", str(svg).replace(' style="', f' {own}style="')))


def _with_policy(page: str, own: str) -> str:
    """The page with a policy that permits what is marked as ours, which is marked no longer."""
    styles: dict[str, None] = {}
    scripts: dict[str, None] = {}

    def block(found: re.Match[str]) -> str:
        (scripts if found["name"] == "script" else styles)[_hash(found["content"])] = None
        return f"<{found['name']}{found['rest']}>{found['content']}</{found['name']}>"

    def attribute(found: re.Match[str]) -> str:
        styles[_hash(html.unescape(found["content"]))] = None
        return f'style="{found["content"]}"'

    page = re.sub(
        rf"<(?P<name>style|script)(?P<rest>[^<>]*?) {own}>(?P<content>.*?)</(?P=name)>", block, page, flags=re.DOTALL
    )
    page = re.sub(rf'{own}style="(?P<content>[^"]*)"', attribute, page)
    if own in page or FIRST not in page:
        raise ValueError("a template marks something as its own that is neither a style nor a script, or has no head")
    parts = {
        "default-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "script-src": " ".join(scripts) or "'none'",
        "style-src": " ".join(["'unsafe-hashes'", *styles]) if styles else "'none'",
    }
    policy = POLICY.format("; ".join(f"{name} {value}" for name, value in parts.items()))
    return page.replace(FIRST, FIRST + policy, 1)


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
