"""The suite: tasks, tools, faults, what a success is, what is counted and shown, and two scripted agents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sealegs.agents import Say, UseTool
from sealegs.faults.kinds import Error, Fault, LostAck
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import Nth, Tool
from sealegs.reports.page_sections import PageSection
from sealegs.reports.suite_page import SUITE_SECTIONS, SuitePage
from sealegs.scoring.metric import Figure, Metric
from sealegs.scoring.ranking_rows import PublishedFigure
from sealegs.scoring.suite_metrics import SUITE_METRICS, EpisodeResult
from sealegs.suites.choices import unknown_name_problems
from sealegs.suites.published_rows import PublishedRows
from sealegs.suites.run_options import Names, option
from sealegs.suites.tool_episode import Enter, ToolEpisode
from sealegs.suites.tool_suite import ToolSuite, ToolSuiteOptions
from sealegs.traces import Record

BOOKS = {
    "The Tide Tables": "BK-11",
    "A Field Guide to Knots": "BK-12",
    "Harbour Lights": "BK-21",
    "Small Boats": "BK-22",
}
TEXT = {"type": "string"}
SPECS = (
    ToolSpec(
        "find_book",
        description="Find a book by its title.",
        parameters={"type": "object", "properties": {"title": TEXT}, "required": ["title"]},
        effects=False,
    ),
    ToolSpec(
        "reserve_book",
        description="Reserve a book for a reader. A second call makes a second reservation.",
        parameters={
            "type": "object",
            "properties": {"book_id": TEXT, "reader": TEXT},
            "required": ["book_id", "reader"],
        },
        effects=True,
    ),
    ToolSpec(
        "list_reservations",
        description="List a reader's reservations.",
        parameters={"type": "object", "properties": {"reader": TEXT}, "required": ["reader"]},
        effects=False,
    ),
)
FAULTS: Mapping[str, tuple[str, Fault] | None] = {
    "clean": None,
    "unavailable": ("find_book", Error(status=503)),  # before the work: nothing was found, nothing was done
    "lost": ("reserve_book", LostAck()),  # after the work: the book is reserved, and the answer does not arrive
}


class Loan(ToolEpisode):
    """One book for one reader."""

    title: str
    reader: str

    @property
    def request(self) -> str:
        """The words of the user."""
        return f"Reserve {self.title} for reader {self.reader}, once. Answer with the book's id."

    @property
    def plan(self) -> Plan:
        """The first call of one tool fails."""
        found = FAULTS[self.mode]
        if found is None:
            return Plan(name=self.mode, seed=self.seed)
        tool, fault = found
        return Plan(name=self.mode, seed=self.seed, rules=(Rule(match=Tool(tool), when=Nth(1), fault=fault),))

    @property
    def specs(self) -> Sequence[ToolSpec]:
        """The library's tools."""
        return SPECS

    def tools(self, enter: Enter) -> Mapping[str, Callable[..., Any]]:
        """The library, empty of reservations."""
        reserved: list[tuple[str, str]] = []

        def find_book(title: str) -> dict[str, str]:
            if title not in BOOKS:
                raise LookupError(f"there is no book {title!r}")
            return {"title": title, "book_id": BOOKS[title]}

        def reserve_book(book_id: str, reader: str) -> dict[str, str]:
            if book_id not in BOOKS.values():
                raise LookupError(f"there is no book {book_id!r}")
            reserved.append((book_id, reader))
            enter("reserve", f"{book_id} for {reader}")
            return {"book_id": book_id, "reader": reader, "status": "reserved"}

        def list_reservations(reader: str) -> list[str]:
            return [book_id for book_id, who in reserved if who == reader]

        return {"find_book": find_book, "reserve_book": reserve_book, "list_reservations": list_reservations}

    def problem(self, record: Record) -> str:
        """The ledger must hold the one reservation, and the answer the book's id."""
        wanted = [f"{BOOKS[self.title]} for {self.reader}"]
        done = [effect.subject for effect in record.effects]
        if done != wanted:
            return f"the ledger holds {', '.join(done) or 'nothing'}, not {wanted[0]}"
        if BOOKS[self.title] not in (record.answer or ""):
            return "the answer does not name the book"
        return ""


class ShelfOptions(ToolSuiteOptions):
    """The suite's options."""

    modes: Names = option(tuple(FAULTS), "Modes, with commas: clean, unavailable, lost.")

    def problems(self) -> Iterator[str]:
        """The problems of the options."""
        yield from super().problems()
        yield from unknown_name_problems("mode", list(self.modes), FAULTS)

    def cases(self) -> Sequence[Loan]:
        """Every book under every mode."""
        return [
            Loan(task=book_id, level="one book", mode=mode, seed=self.seed, title=title, reader=f"R-{book_id[-2:]}")
            for title, book_id in BOOKS.items()
            for mode in self.modes
        ]


class Hasty:
    """Calls each tool until it answers, whatever it may have done."""

    looks = False

    def __init__(self, loan: Loan) -> None:
        self.loan = loan
        self.book_id = ""
        self.reserved = self.unsure = False

    def act(self) -> UseTool | Say:
        """The next call, or the answer."""
        if not self.book_id:
            return UseTool("find_book", {"title": self.loan.title})
        if self.unsure and self.looks:
            return UseTool("list_reservations", {"reader": self.loan.reader})
        if not self.reserved:
            return UseTool("reserve_book", {"book_id": self.book_id, "reader": self.loan.reader})
        return Say(f"{self.loan.title} is reserved; its id is {self.book_id}.")

    def observe(self, use: UseTool, text: str) -> None:
        """Note what the tool answered."""
        answer = json.loads(text)
        failed = isinstance(answer, dict) and "error" in answer
        if use.tool == "find_book" and not failed:
            self.book_id = answer["book_id"]
        if use.tool == "reserve_book":
            self.reserved, self.unsure = not failed, failed
        if use.tool == "list_reservations" and not failed:
            self.reserved, self.unsure = self.book_id in answer, False


class Careful(Hasty):
    """Looks whether a failed reservation was made before it makes another."""

    looks = True


SHORT = Metric[EpisodeResult]("short", lambda result: result.calls <= 3, lambda result: result.success)


def reserved_twice(page: SuitePage) -> dict[str, object]:
    """The values of the section on books that were reserved twice; nothing where none was."""
    played = [(run, result) for run, results in page.runs for result, _ in results]
    twice = [f"{run.get('agent') or run.get('model')}: {one.task}, {one.mode}" for run, one in played if one.repeated]
    return {"twice": twice} if twice else {}


TWICE = PageSection("twice", str(Path(__file__).with_name("twice.html.j2")), reserved_twice)
PUBLISHED = {"success": {"desk-model": Figure(75.0, 42.8, 93.3, 12)}}  # invented: yours come from the paper


def published_figures(metric: str, options: Mapping[str, str]) -> Iterable[PublishedFigure]:
    """The published figures of a metric."""
    for model, figure in PUBLISHED.get(metric, {}).items():
        yield PublishedFigure(model, "library-desk", figure, "table 1 of nobody's paper")


class ShelfSuite(ToolSuite):
    """Reservations in a library. Its judge is that of every such suite: it asks `Loan.problem`."""

    name = "shelf"
    summary = "Reserve a book, once, while the library's tools fail before or after their work."
    options_type = ShelfOptions
    episode_type = Loan
    agents = {"careful": Careful, "hasty": Hasty}
    metrics = (*SUITE_METRICS, SHORT)
    sections = (*SUITE_SECTIONS, TWICE)
    published = PublishedRows("library-desk", published_figures)


SUITE = ShelfSuite()
