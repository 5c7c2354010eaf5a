"""The four tools of the workloads: deterministic, offline, and honest.

`Toolbox` holds what they do as plain functions; the same functions are LangChain tools here and MCP tools in `server`.
A request that cannot be met is answered with a text that begins with `Error:`, as tools for models do. Faults are put
between agent and tool by others.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from importlib import resources
from typing import Any

from sealegs.search.bm25 import TextIndex
from sealegs.suites.micro.calculator import BadExpression, evaluate_expression

TODAY = date(2026, 5, 20)  # what the fixed clock shows
FOUND = 3  # documents that a search shows
FARTHEST = 100_000  # days
NAMES = ("CalculatorTool", "SearchTool", "WikipediaTool", "DateTool")


@dataclass(frozen=True)
class Page:
    """A text with its title, and other titles under which it is found."""

    title: str
    text: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Toolbox:
    """The tools as functions. `today`: what the clock shows."""

    today: date = TODAY

    def calculate(self, expression: str) -> int | float | str:
        """Work out an arithmetic expression such as (3 + 4.5) * 2 or sqrt(2) ** 3. Knows + - * / % ** and round."""
        try:
            return evaluate_expression(expression)
        except BadExpression as error:
            return f"Error: {error}"

    def search(self, query: str) -> str:
        """Search documents on prices, rates, routes and facts. Shows the best matches, the best one first."""
        pages, index = _pages("documents")
        scores = index.scores(query)
        best = sorted((n for n in range(len(pages)) if scores[n] > 0), key=lambda n: (-scores[n], n))[:FOUND]
        if not best:
            return f"Error: nothing was found for {query!r}; try other words"
        return "\n".join(f"- {pages[n].title}: {pages[n].text}" for n in best)

    def wikipedia(self, title: str) -> str:
        """Read the encyclopedia's article of this title."""
        pages, index = _pages("articles")
        wanted = title.strip().casefold()
        for page in pages:
            if wanted in (name.casefold() for name in (page.title, *page.also)):
                return f"Page: {page.title}\nSummary: {page.text}"
        scores = index.scores(title)
        near = sorted((n for n in range(len(pages)) if scores[n] > 0), key=lambda n: (-scores[n], n))[:FOUND]
        hint = f"there is: {', '.join(pages[n].title for n in near)}" if near else "search for it first"
        return f"Error: there is no article {title.strip()!r}; {hint}"

    def tell_date(self, days_from_now: int = 0) -> str:
        """Tell today's date, or the date so many days from now (negative: days ago)."""
        if abs(days_from_now) > FARTHEST:
            return f"Error: {days_from_now} days are too many; give at most {FARTHEST}"
        return format_day(self.today + timedelta(days=days_from_now))

    def functions(self) -> Mapping[str, Callable[..., Any]]:
        """The functions by the names of the tools."""
        return dict(zip(NAMES, (self.calculate, self.search, self.wikipedia, self.tell_date), strict=True))


def format_day(day: date) -> str:
    """A day as DateTool tells it: `20 May 2026 (Wednesday)`."""
    return f"{day.day} {calendar.month_name[day.month]} {day.year} ({calendar.day_name[day.weekday()]})"


@cache
def _pages(name: str) -> tuple[tuple[Page, ...], TextIndex]:
    import yaml

    text = resources.files("sealegs.suites.micro.texts").joinpath(f"{name}.yaml").read_text(encoding="utf-8")
    pages = tuple(Page(one["title"], one["text"], tuple(one.get("also", ()))) for one in yaml.safe_load(text))
    return pages, TextIndex(tuple(f"{page.title} {page.text}" for page in pages))
