"""One HTML file about runs of `paladin`: arms side by side, by class and kind of failure, and episodes call by call.

Of several runs one episode is shown under each, the one on which they differed most. It needs no network and no
script, but the extra `report`. The published figures, of other tasks and other graders, are below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sealegs.reports.card_selection import MOST, Candidates, OfferedEpisode, Played, choose
from sealegs.reports.metric_grids import MetricCell
from sealegs.reports.page_sections import PageSection, render_page
from sealegs.reports.paladin_tables import (
    CORRELATED,
    PUBLISHED_ARMS,
    SHOWN,
    SOURCE,
    MetricCorrelation,
    correlations,
    name_of,
    published_correlations,
    published_paladin_rows,
)
from sealegs.scoring import TERMS
from sealegs.scoring.metric import ALL, Row
from sealegs.scoring.paladin_metrics import CLEAN

if TYPE_CHECKING:
    from sealegs.reports.shades import Shade

RATES = {"rr": "RR", "tsr": "TSR", "csr": "CSR", "efficiency": "efficiency"}
LOOSE = {"rr": "rr_as_published", "tsr": "tsr_as_published", "csr": "csr_as_published"}
KINDS = ("transient", "switch", "dead end")
FEW = 6  # cards of a single run
Run = tuple[str, str]  # who, and on which set


@dataclass(frozen=True, slots=True)
class Square:
    """A cell of a heat map with its shade; None where there is nothing to shade."""

    cell: MetricCell
    shade: Shade | None


@dataclass(frozen=True)
class RunLine:
    """One run: its cells by metric, on clean episodes, by class, and by kind of failure."""

    name: str
    set: str
    metrics: Mapping[str, MetricCell]
    clean: MetricCell
    loose: Mapping[str, MetricCell]
    classes: Mapping[str, Square]
    kinds: Mapping[str, Square]
    n: int


@dataclass(frozen=True)
class PaladinPage:
    """The material of a page.

    Attributes:
        rows: the long table of the runs.
        episodes: every run's episodes with their verdicts.
        facts: what appears at the top, by name.
        warnings: what reading had to leave out.
    """

    rows: Sequence[Row]
    episodes: Mapping[Run, Sequence[OfferedEpisode]]
    facts: Mapping[str, str]
    warnings: Sequence[str]

    @cached_property
    def runs(self) -> list[Run]:
        """The runs, in the order of the rows."""
        return list(dict.fromkeys((name_of(row), row["mode"]) for row in self.rows))

    @cached_property
    def levels(self) -> list[str]:
        """The classes of failures."""
        return [level for level in dict.fromkeys(row["level"] for row in self.rows) if level not in (ALL, CLEAN)]


def _classes(page: PaladinPage) -> dict[str, object]:
    return {"levels": page.levels}


def _correlations(page: PaladinPage) -> dict[str, object]:
    return {"correlations": _paired(correlations(page.rows), published_correlations(), len(page.runs))}


def _episodes(page: PaladinPage) -> dict[str, object]:
    from sealegs.reports.calls import MARKS
    from sealegs.reports.episode_cards import episode_card

    shown = choose_paladin_episodes(page.episodes)
    cards = [episode_card(played, number) for number, (_, played) in enumerate(shown, 1)]
    if not cards:
        return {}
    whose = {found.anchor: run[0] for found, (run, _) in zip(cards, shown, strict=True)}
    return {"cards": cards, "whose": whose, "first": cards[0].anchor, "words": MARKS, "terms": TERMS}


def _published(page: PaladinPage) -> dict[str, object]:
    return {"published": published_paladin_rows(), "published_arms": PUBLISHED_ARMS, "source": SOURCE}


PALADIN_SECTIONS = (
    PageSection[PaladinPage]("arms", "arms.html.j2", lambda _: {"shown": SHOWN, "rates": RATES}),
    PageSection("classes", "classes.html.j2", _classes),
    PageSection[PaladinPage]("kinds", "kinds.html.j2", lambda _: {"kinds": KINDS}),
    PageSection[PaladinPage]("rules", "rules.html.j2", lambda _: {"shown": SHOWN, "loose": LOOSE}),
    PageSection("correlations", "correlations.html.j2", _correlations),
    PageSection("episodes", "arm_episodes.html.j2", _episodes),
    PageSection("published", "published_arms.html.j2", _published),
)


def render_paladin_page(page: PaladinPage, sections: Sequence[PageSection[PaladinPage]] = PALADIN_SECTIONS) -> str:
    """The page.

    Raises:
        MissingExtra: jinja2 is not installed.
    """
    head = {
        "names": ", ".join(dict.fromkeys(name for name, _ in page.runs)),
        "facts": page.facts,
        "warnings": page.warnings,
        "lines": [_line(page.rows, run, page.levels) for run in page.runs],
        "several": len(page.runs) > 1,
        "sets": len({mode for _, mode in page.runs}) > 1,
    }
    return render_page("recoveries.html.j2", head, sections, page)


def choose_paladin_episodes(episodes: Mapping[Run, Sequence[OfferedEpisode]]) -> list[tuple[Run, Played]]:
    """The episodes to show: a telling few of one run; of several runs, the one on which they differed most."""
    if len(episodes) == 1:
        ((run, own),) = episodes.items()
        return [(run, played) for played in _telling_few(own)]
    found: dict[str, list[tuple[Run, OfferedEpisode]]] = {}
    for run, own in episodes.items():
        for one in own:
            found.setdefault(one.name, []).append((run, one))
    if not found:
        return []
    return [(run, one.load()) for run, one in max(found.values(), key=_parting)[:MOST]]


def _telling_few(own: Sequence[OfferedEpisode]) -> list[Played]:
    candidates = Candidates()
    for number, one in enumerate(own):
        # Two runs of one name, with other seeds, have episodes of the same name.
        candidates.offer(f"{one.name}\0{number:09}", one.mode, one.level, one.verdict, one.load)
    counts = Counter((one.mode, one.verdict.attribution) for one in own)
    return choose(candidates.kept(), FEW, counts)


def _parting(group: Sequence[tuple[Run, OfferedEpisode]]) -> tuple[int, int, int]:
    """The degree to which an episode tells the runs apart: by outcomes, by balance of failure and success, by calls."""
    verdicts = [one.verdict for _, one in group]
    won = sum(verdict.success for verdict in verdicts)
    ends = {(verdict.success, verdict.stopped) for verdict in verdicts}
    return len(ends), min(won, len(verdicts) - won), len({verdict.calls for verdict in verdicts})


def _line(rows: Sequence[Row], run: Run, levels: Sequence[str]) -> RunLine:
    own = {(row["level"], row["metric"]): row for row in rows if (name_of(row), row["mode"]) == run}

    def cell(level: str, metric: str) -> MetricCell:
        row = own.get((level, metric))
        return MetricCell() if row is None else MetricCell(row["value"], row["low"], row["high"], row["n"])

    return RunLine(
        name=run[0],
        set=run[1],
        metrics={metric: cell(ALL, metric) for metric in SHOWN},
        clean=cell(CLEAN, "tsr"),
        loose={metric: cell(ALL, name) for metric, name in LOOSE.items()},
        classes={level: _square(cell(level, "rr")) for level in levels},
        kinds={kind: _square(cell(ALL, f"rr_{kind.replace(' ', '_')}")) for kind in KINDS},
        n=cell(ALL, "tsr").n,
    )


def _square(cell: MetricCell) -> Square:
    from sealegs.reports.shades import shade

    return Square(cell, None if cell.value is None else shade(cell.value, "blue"))


def _paired(
    ours: Sequence[MetricCorrelation], theirs: Sequence[MetricCorrelation], runs: int
) -> list[tuple[str, MetricCorrelation | None, MetricCorrelation]]:
    """Correlations beside the published ones; ours over three runs or more."""
    assert len(ours) == len(theirs) == len(CORRELATED) * (len(CORRELATED) - 1) // 2
    return [
        (f"{SHOWN[there.one]}, {SHOWN[there.other]}", here if runs > 2 and here.r == here.r else None, there)
        for here, there in zip(ours, theirs, strict=True)
    ]
