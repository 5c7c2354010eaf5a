"""Every kind has its page, and every example in the pages is valid."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic_core import to_jsonable_python

from sealegs.faults import KINDS, Plan, plan_from

MATCHERS = {"tool", "tag", "model", "method", "header"}
DOCS = Path(__file__).parents[2] / "docs"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in (DOCS / "faults").glob("*.md")}
FORMAT = (DOCS / "plans.md").read_text(encoding="utf-8")


def examples(page: str) -> list[Any]:
    """The YAML blocks of a page."""
    return [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]


def planned(example: Any) -> Plan:
    """The plan that the example is, or is the rule of."""
    return plan_from(example if "rules" in example else {"name": "example", "rules": [example]})


def test_every_kind_has_a_page() -> None:
    assert set(PAGES) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_shows_the_kind_in_a_valid_rule(kind: str) -> None:
    page = PAGES[kind]
    assert page.startswith(f"# `{kind}`\n")
    assert "**A good agent.**" in page
    assert ("*Implicit" in page) == KINDS[kind].implicit
    (rule,) = planned(*examples(page)).rules
    assert rule.fault.kind == kind


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_names_the_moments_of_the_kind(kind: str) -> None:
    (moments,) = re.findall(r"^\*\*Moments\.\*\*(.*?)See \[plans\]", PAGES[kind], re.MULTILINE | re.DOTALL)
    assert set(re.findall(r"`(before|during|after)`", moments)) == set(KINDS[kind].moments)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_lists_the_parameters_as_they_are(kind: str) -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(.*?)` \| (.*) \|$", PAGES[kind], re.MULTILINE)
    fields = [(name, field) for name, field in KINDS[kind].model_fields.items() if name != "kind"]
    assert rows == [(name, json.dumps(to_jsonable_python(field.default)), field.description) for name, field in fields]


def test_the_format_s_examples_are_plans_and_python_says_the_same() -> None:
    whole, *rules = examples(FORMAT)
    block, *_ = re.findall(r"```python\n(.*?)```", FORMAT, re.DOTALL)
    names: dict[str, Any] = {}
    exec(block, names)
    assert planned(whole) == names["plan"]
    assert all(planned(rule).rules for rule in rules)


def test_inline_examples_are_valid() -> None:
    rows = [line.split("|")[1] for line in FORMAT.splitlines() if line.startswith("| `")]
    shown = [yaml.safe_load(text) for row in rows for text in re.findall(r"`(\{.*?\})`", row) if "..." not in text]
    whens = [data for data in shown if not data.keys() & MATCHERS]
    matches = [data for data in shown if data.keys() & MATCHERS]
    assert len(whens) >= 7
    assert len(matches) >= 5
    for data in whens:
        planned({"match": {"tool": "*"}, "when": data, "fault": {"kind": "error"}})
    for data in matches:
        planned({"match": data, "fault": {"kind": "error"}})


def test_links_lead_somewhere() -> None:
    for folder, page in [(DOCS, FORMAT), *((DOCS / "faults", page) for page in PAGES.values())]:
        for target in re.findall(r"\]\(([\w/]+\.md)\)", page):
            assert (folder / target).is_file(), target
    assert all(f"(faults/{kind}.md)" in FORMAT for kind in KINDS)
