"""The sections of the page of `maze`: what the templates are given. Needs the extra `report`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from sealegs.reports.calls import MARKS
from sealegs.reports.card_selection import Played
from sealegs.reports.comparison import Panel, panels, prompt_of, ranking
from sealegs.reports.counts import STAGES, attributions, fault_modes, funnels, splits
from sealegs.reports.episode_cards import EpisodeCard, episode_card
from sealegs.reports.judges import disagreements
from sealegs.reports.material import Material
from sealegs.reports.metric_grids import MAIN, Grid, MetricCell, grid, main_table, overall
from sealegs.reports.modes import LEVELS, METRICS, MODES, SHORT
from sealegs.reports.outcome_splits import outcome_differences, outcome_splits
from sealegs.reports.page_sections import PageSection, render_page
from sealegs.reports.published import SOURCE
from sealegs.reports.shades import Shade, shade
from sealegs.scoring import TERMS
from sealegs.scoring.maze_metrics import BY_RUNG
from sealegs.scoring.metric import ALL, Row

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

HUES = {"tsr": "blue", "prr": "blue", "rc": "orange", "doubled": "orange"}


@dataclass(frozen=True, slots=True)
class Tile:
    """A headline figure."""

    name: str
    meaning: str
    cell: MetricCell


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A grid with the shade of each of its cells, by (level, mode), and the highest value that was possible."""

    grid: Grid
    hue: str
    shades: Mapping[tuple[str, str], Shade]
    ceilings: Mapping[tuple[str, str], float]


@dataclass(frozen=True, slots=True)
class Plot:
    """A panel with its SVG."""

    panel: Panel
    svg: Markup


@dataclass(frozen=True, slots=True)
class Gap:
    """A paired difference, in percentage points; `clear` where its interval does not hold 0."""

    name: str
    meaning: str
    cell: MetricCell
    clear: bool


@dataclass(frozen=True)
class MazePage:
    """The material of a page with the episodes that are chosen for cards."""

    material: Material
    chosen: Sequence[Played]

    @cached_property
    def prompt(self) -> str:
        """The prompt that published models are compared under."""
        return prompt_of(self.material.prompts)

    @cached_property
    def cards(self) -> list[EpisodeCard]:
        """The cards of the chosen episodes."""
        return [episode_card(played, number) for number, played in enumerate(self.chosen, 1)]

    @cached_property
    def faulty(self) -> bool:
        """Whether there are episodes with faults."""
        return bool(fault_modes(self.material.results))


def _rate_values(page: MazePage) -> dict[str, object]:
    material = page.material
    table = main_table(material.rows, material.results) if page.faulty else {}
    return {"heat_maps": _heat_maps(material), "main_table": table, "main_metrics": MAIN}


def _funnel_values(page: MazePage) -> dict[str, object]:
    return {"funnels": funnels(page.material.results), "stages": STAGES} if page.faulty else {}


def _published_values(page: MazePage) -> dict[str, object]:
    from markupsafe import Markup

    from sealegs.reports.plots import plot

    material = page.material
    plots = [Plot(panel, Markup(plot(panel))) for panel in panels(material.rows, material.results, page.prompt)]
    if not plots:
        return {}
    ranked = ranking(material.rows, material.results, _name(material), page.prompt)
    return {"plots": plots, "ranking": ranked, "prompt": page.prompt, "source": SOURCE}


def _gap_values(page: MazePage) -> dict[str, object]:
    found = [_gap(row) for row in page.material.differences]
    return {"gaps": found} if found else {}


def _outcome_values(page: MazePage) -> dict[str, object]:
    results = page.material.results
    return {
        "outcomes": _outcomes(page.material),
        "outcome_splits": outcome_splits(results),
        "outcome_differences": outcome_differences(results),
    }


def _rung_values(page: MazePage) -> dict[str, object]:
    found = _rungs(page.material)
    return {"rungs": found, "rung_names": tuple(BY_RUNG)} if found else {}


def _judge_values(page: MazePage) -> dict[str, object]:
    return {
        "splits": splits(page.material.results),
        "judges": _judges(page.material),
        "disagreements": disagreements(page.material.episodes),
        "anchors": {found.record.episode: found.anchor for found in page.cards},
    }


def _wrong_values(page: MazePage) -> dict[str, object]:
    found = attributions(page.material.results)
    return {"attributions": found, "splits": splits(page.material.results), "terms": TERMS} if found else {}


def _card_values(page: MazePage) -> dict[str, object]:
    cards = page.cards
    return {"cards": cards, "first": _first(cards), "words": MARKS, "terms": TERMS} if cards else {}


MAZE_SECTIONS = (
    PageSection("rates", "rates.html.j2", _rate_values),
    PageSection("funnel", "funnel.html.j2", _funnel_values),
    PageSection("published", "published.html.j2", _published_values),
    PageSection("gaps", "gaps.html.j2", _gap_values),
    PageSection("outcome", "outcome.html.j2", _outcome_values),
    PageSection("rungs", "rungs.html.j2", _rung_values),
    PageSection("judges", "judges.html.j2", _judge_values),
    PageSection("wrong", "wrong.html.j2", _wrong_values),
    PageSection("episodes", "episodes.html.j2", _card_values),
)


def render_sections(page: MazePage, sections: Sequence[PageSection[MazePage]]) -> str:
    """The page of these sections; without an episode it has none."""
    shown = sections if len(page.material.results) else ()
    return render_page("page.html.j2", _header(page.material), shown, page, _environment)


@cache
def _environment() -> jinja2.Environment:
    from sealegs.reports.plots import marker
    from sealegs.reports.templating import environment

    own = environment().overlay()
    own.filters = {**own.filters, "marker": marker, "signed": _signed}
    own.globals = {**own.globals, "MODES": MODES, "LEVELS": LEVELS, "METRICS": METRICS, "SHORT": SHORT, "ALL": ALL}
    return own


def _name(material: Material) -> str:
    return material.who.get("agent") or material.who.get("model") or "unnamed"


def _first(cards: Sequence[EpisodeCard]) -> str:
    """The card to begin with: a failure after a fault if there is one, preferably one that was not noticed."""
    rank = [(not c.verdict.exposed, c.verdict.success, c.verdict.noticed, n) for n, c in enumerate(cards)]
    return cards[min(rank)[-1]].anchor if cards else ""


def _header(material: Material) -> dict[str, object]:
    results, faulted = material.results, set(fault_modes(material.results))
    # Without faults there is nothing to recover from, so success alone is shown.
    names = ("composite", "tsr", "outcome", "prr", "rc", "exposed", "harmed") if faulted else ("tsr",)
    tiles = [Tile(SHORT[n], METRICS[n], overall(material.rows, results, n)) for n in names]
    facts = {
        "suite": material.who.get("suite", "unnamed"),
        "agent" if material.who.get("agent") else "model": _name(material),
        "episodes": f"{len(results)} of {len({r.task for r in results})} base tasks",
        "levels": ", ".join(sorted({r.level for r in results})),
        "modes": ", ".join(sorted({r.mode for r in results})),
        **material.notes,
    }
    return {
        "name": _name(material),
        "facts": {key: value for key, value in facts.items() if value},
        "tiles": tiles,
        "warnings": material.warnings,
        "episodes": len(results),
        "faulty": bool(faulted),
        # Faults were planned and none was met: the page says so before it shows rates of recovery.
        "inconclusive": bool(faulted) and not any(r.verdict.exposed for r in results),
        "planned": sum(r.mode in faulted for r in results),
        "exposed": sum(r.verdict.exposed for r in results),
        "crashed": sum(r.verdict.attribution == "crashed" for r in results),
    }


def _heat_maps(material: Material) -> list[HeatMap]:
    metrics = tuple(HUES) if fault_modes(material.results) else ("tsr",)
    return [_heat_map(material, metric) for metric in metrics]


def _heat_map(material: Material, metric: str) -> HeatMap:
    found, hue = grid(material.rows, material.results, metric), HUES[metric]
    limits = material.ceilings if metric == "tsr" else []
    ceilings = {  # none over all modes: there TSR counts clean episodes too
        (row["level"], row["mode"]): row["value"] for row in limits if row["mode"] != ALL and row["value"] is not None
    }
    cells = {(level, mode): found.at(level, mode) for level in found.levels for mode in found.modes}
    shades = {place: shade(cell.value, hue) for place, cell in cells.items() if cell.value is not None}
    return HeatMap(found, hue, shades, ceilings)


def _judges(material: Material) -> dict[str, tuple[MetricCell, MetricCell]]:
    """TSR by the strict and the published judge for each mode."""
    strict, published = (grid(material.rows, material.results, m) for m in ("tsr", "tsr_as_published"))
    return {mode: (strict.at(ALL, mode), published.at(ALL, mode)) for mode in strict.modes}


def _outcomes(material: Material) -> dict[str, list[MetricCell]]:
    """TSR, outcome and process for each mode."""
    grids = [grid(material.rows, material.results, metric) for metric in ("tsr", "outcome", "process")]
    return {mode: [found.at(ALL, mode) for found in grids] for mode in grids[0].modes}


def _rungs(material: Material) -> dict[str, list[MetricCell]]:
    """PRR on each rung for each mode with false answers, and over them; nothing where none is on the ladder."""
    faulted = {result.mode for result in material.results if result.rung}
    grids = [grid(material.rows, material.results, metric.name) for metric in BY_RUNG.values()]
    modes = [mode for mode in grids[0].modes if mode in faulted]
    return {mode: [found.at(ALL, mode) for found in grids] for mode in (*modes, ALL)} if modes else {}


def _signed(value: float) -> str:
    return f"{value:+.1f}".replace("-", "−")


def _gap(row: Row) -> Gap:
    name = row["metric"].removesuffix("_difference")
    low, high = row["low"], row["high"]
    clear = low is not None and high is not None and (low > 0 or high < 0)
    return Gap(SHORT.get(name, name), METRICS.get(name, ""), MetricCell(row["value"], low, high, row["n"]), clear)
