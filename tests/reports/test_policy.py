"""The policy of pages: what is ours works in a real browser, and what was slipped in does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sealegs.reports.templating import FIRST, PolicedPage, environment
from tests import needs
from tests.reports.browser_control import CHROMIUM, opened_page

TEMPLATES = sorted((Path(__file__).parents[2] / "src" / "sealegs" / "reports" / "templates").glob("*.j2"))
SLIPPED_IN = (
    "<script>document.title = 'taken'</script>"
    "<img src=x onerror=\"document.title = 'taken'\">"
    "<svg onload=\"document.title = 'taken'\"></svg>"
    "<a id=bad href=\"javascript:document.title = 'taken'\">here</a>"
    '<style>body { color: rgb(1, 2, 3) }</style><p id=bad-style style="color: rgb(1, 2, 3)">x</p>'
    "<iframe src=\"data:text/html,<script>parent.document.title = 'taken'</script>\"></iframe>"
)
# What the pages do: cards to choose from, tables to sort, bars and charts with styles of their own, data to save.
WORKING = """<h1>Page</h1>
<div class="chooser" data-first="one"><a class="pick" href="#one">1</a> <a class="pick" href="#two">2</a></div>
<article class="episode" id="one">first</article><article class="episode" id="two">second</article>
<table class="sortable"><thead><tr><th>name</th><th>value</th></tr></thead>
<tbody><tr><td>a</td><td>1</td></tr><tr><td>b</td><td>3</td></tr><tr><td>c</td><td>2</td></tr></tbody></table>
<span class="bar" {{ own }}style="display:inline-block;width:37px"></span>{{ svg | chart }}
<a id="data" download="figure.csv" href="data:text/csv,a%2Cb">data</a>
<script {{ own }}>
{% include "page.js" %}
</script>"""
CHART = """<svg viewBox="0 0 9 9"><defs><style type="text/css">*{stroke-linejoin: round}</style></defs>
<path d="M0 0 L9 9" style="fill: rgb(4, 5, 6)"/></svg>"""


def whole_page(body: str, **values: object) -> str:
    """A page of ours with this in its template's body."""
    head = f"<head>\n{FIRST}<style {{{{ own }}}}>b {{ color: rgb(4, 5, 6) }}</style></head>"
    template = environment().from_string(f"<html>{head}<body>{body}</body></html>")
    assert isinstance(template, PolicedPage)
    return template.render(**values)


@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: file.name)
def test_templates_mark_all_that_is_theirs(file: Path) -> None:
    """No handler in an attribute, and no style or script without the mark."""
    text = file.read_text("utf-8")
    assert not re.search(r"\son\w+=", text)
    assert not re.search(r"<(style|script)\b(?![^>]* \{\{ own \}\}>)", text)
    assert not re.search(r"(?<!\{\{ own \}\})style=\"", text)


def test_what_is_put_in_is_never_ours() -> None:
    """Not even where a template forgot to escape it, and whatever mark it bears."""
    page = whole_page("{{ text | safe }}", text='<script own-0:>1</script><p own-0:style="a">')
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert "script-src 'none'" in policy[1]
    assert policy[1].count("sha256-") == 1
    assert page == whole_page("{{ text | safe }}", text='<script own-0:>1</script><p own-0:style="a">')


def test_every_sign_of_a_page_can_be_seen() -> None:
    assert "a\\x1b[2J\\u202eb\\U000e0041" in whole_page("{{ text }}", text="a\x1b[2J\u202eb\U000e0041")


@pytest.mark.skipif(CHROMIUM is None, reason=needs.CHROMIUM)
async def test_a_page_works_under_its_policy_and_what_was_slipped_in_does_not(tmp_path: Path) -> None:
    page = whole_page(WORKING, svg=CHART)
    file, bad = tmp_path / "report.html", tmp_path / "bad.html"
    file.write_text(page, "utf-8")
    bad.write_text(page.replace("</h1>", f"</h1>{SLIPPED_IN}", 1), "utf-8")
    async with opened_page(file, tmp_path / "profile") as opened:
        assert await opened.value("document.documentElement.classList.contains('choosing')")
        first = await opened.value("document.querySelector('.episode.chosen').id")
        await opened.click(".pick:not([aria-current])")
        assert await opened.value("document.querySelector('.episode.chosen').id") != first
        head = "table.sortable thead th:nth-child(2)"
        order = f"[...document.querySelector('{head}').closest('table').tBodies[0].rows].map(r => r.innerText).join()"
        before = await opened.value(order)
        await opened.click(head)
        await opened.click(head)
        assert await opened.value(f"document.querySelector('{head}').ariaSort") == "ascending"
        assert await opened.value(order) != before
        assert await opened.value("getComputedStyle(document.querySelector('.bar')).width") == "37px"
        assert await opened.value("getComputedStyle(document.querySelector('path')).fill") == "rgb(4, 5, 6)"
        assert await opened.value("getComputedStyle(document.querySelector('path')).strokeLinejoin") == "round"
        await opened.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
        await opened.click("#data")
        while not (tmp_path / "figure.csv").exists():
            await opened.value("1")
        assert opened.complaints == []
        await opened.open(bad)
        await opened.click("#bad")
        assert await opened.value("document.querySelectorAll('#bad').length") == 1
        assert "taken" not in await opened.value("document.title")
        assert await opened.value("getComputedStyle(document.querySelector('#bad-style')).color") != "rgb(1, 2, 3)"
        assert await opened.value("document.documentElement.classList.contains('choosing')")
        assert len(opened.complaints) >= 5
