"""The tables of the documentation, made from the benchmarks' results, so that no figure is copied by hand.

    python benchmarks/doc_tables.py            # writes them into docs/*.md
    python benchmarks/doc_tables.py --check    # says what is not as it would be written, and ends with 1

A page holds `<!-- table: NAME -->` and `<!-- end -->`; what is between them is rewritten. Pages
without such marks are left alone.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import foreign_cost_tables
import recovery_tables
from results_table import results_lines

from sealegs.agents.arms import ARMS
from sealegs.faults.csv_tables import table_rows
from sealegs.reports.published import chaosllm_rates
from sealegs.scoring.diagnosis_accuracy import confusion, measure_diagnoses
from sealegs.suites.maze.detection_rows import detection_lines, guarded_lines

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"(<!-- table: (?P<name>[^>]+?) -->\n).*?(<!-- end -->)", re.DOTALL)
Rows = Sequence[Mapping[str, Any]]


@cache
def result(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8"))
    return found


def cell(row: Mapping[str, Any] | None, places: int = 1, *, bare: bool = False) -> str:
    if row is None or row["value"] is None:
        return "–"
    value = f"{row['value']:.{places}f}"
    return value if bare or row["low"] is None else f"{value} [{row['low']:.{places}f}, {row['high']:.{places}f}]"


def table(head: Sequence[str], lines: Iterator[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *lines)) + "\n"


def arms(chosen: str, backbone: str) -> str:
    """Arms of a set over a backbone, without retrieval and with."""
    found = {
        (row["agent"], row["metric"]): row
        for row in result("paladin")["rows"]
        if row["mode"] == chosen and row["level"] == "all"
    }

    def pair(arm: str, metric: str, places: int = 1, *, bare: bool = False) -> str:
        names = (f"{arm}/{backbone}", f"{arm}/{backbone} (with retrieval)")
        return " / ".join(cell(found.get((name, metric)), places, bare=bare) for name in names)

    def lines() -> Iterator[Sequence[str]]:
        for arm in ARMS:
            kinds = [pair(arm, f"rr_{kind}", bare=True) for kind in ("transient", "switch", "dead_end")]
            yield f"`{arm}`", pair(arm, "rr"), pair(arm, "csr"), pair(arm, "es", 3, bare=True), *kinds

    return table(("arm", "RR", "CSR", "ES", "RR transient", "switch", "dead end"), lines())


def loose(chosen: str, backbone: str) -> str:
    """Our rules and the published ones, without retrieval."""
    found = {
        (row["agent"], row["metric"]): row
        for row in result("paladin")["rows"]
        if row["mode"] == chosen and row["level"] == "all"
    }

    def lines() -> Iterator[Sequence[str]]:
        for arm in ARMS:
            names = [name for metric in ("rr", "tsr", "csr") for name in (metric, f"{metric}_as_published")]
            yield f"`{arm}`", *(cell(found.get((f"{arm}/{backbone}", name)), bare=True) for name in names)

    head = ("arm", "RR", "as published", "TSR", "as published", "CSR", "as published")
    return table(head, lines())


def agreement(who: str) -> str:
    """Equal labels and kappa of two graders, question by question."""
    rows = [row for row in result("paladin")["rows"] if row["agent"] == who]
    found = {(row["mode"], row["metric"]): row for row in rows}

    def lines() -> Iterator[Sequence[str]]:
        for question in dict.fromkeys(row["mode"] for row in rows):
            share, kappa = found[question, "agreement"], found[question, "kappa"]
            yield f"`{question}`", str(share["n"]), cell(share), cell(kappa, 2)

    return table(("question", "n", "equal, %", "kappa"), lines())


def correlated(who: str) -> str:
    """Correlations of the metrics over runs."""
    found = {row["metric"]: row for row in result("paladin")["rows"] if row["agent"] == who}
    pairs = [metric[2:-1] for metric in found if metric.startswith("r(")]

    def lines() -> Iterator[Sequence[str]]:
        for pair in pairs:
            r, p = found[f"r({pair})"], found[f"p({pair})"]
            shown = "–" if r["value"] is None else f"{r['value']:.2f}"
            yield (
                pair.replace(",", ", ").upper(),
                shown,
                "–" if p["value"] is None else f"{p['value']:.1g}",
                str(r["n"]),
            )

    return table(("metrics", "r", "p", "runs"), lines())


def efficiency() -> str:
    """The published ES of the two benchmarks side by side: by which factor one could be the other, as rounded."""
    text = files("sealegs.reports.published").joinpath("paladin_table1.csv").read_text(encoding="utf-8")
    rows = table_rows(text)
    arms = [name for name in rows[0] if name not in ("backbone", "benchmark", "metric")]
    es = {(row["backbone"], row["benchmark"]): row for row in rows if row["metric"] == "ES"}
    tsr = {(row["backbone"], row["benchmark"]): row for row in rows if row["metric"] == "TSR"}

    def lines() -> Iterator[Sequence[str]]:
        for backbone in dict.fromkeys(row["backbone"] for row in rows):
            one, other = (es[backbone, name] for name in ("PaladinEval", "ToolReflectEval"))
            ratios = [float(other[arm]) / float(one[arm]) for arm in arms]
            low = max((float(other[arm]) - 0.0005) / (float(one[arm]) + 0.0005) for arm in arms)
            high = min((float(other[arm]) + 0.0005) / (float(one[arm]) - 0.0005) for arm in arms)
            same = f"yes, {low:.4f} to {high:.4f}" if low <= high else "no"
            above = sum(
                float(es[backbone, name][arm]) > float(tsr[backbone, name][arm]) / 100
                for name in ("PaladinEval", "ToolReflectEval")
                for arm in arms
            )
            yield backbone, ", ".join(f"{ratio:.3f}" for ratio in ratios), same, f"{above} of {2 * len(arms)}"

    return table(("backbone", "ES there / here, by arm", "one factor for all five", "ES above TSR"), lines())


ANSWERS = {
    "NP": "clean answers (false alarms)",
    "NP episodes": "clean episodes (false alarms)",
    "all": "**faulted answers**",
}


def detection(place: int) -> str:
    """Rates of detection and of false alarms, by what was learned from."""
    found = result("detectors")
    level = list(found["learned_from"])[place]
    head = ("answers", "n", "1 % of answers", "5 % of answers", "1 % of episodes", "5 % of episodes")
    lines = {line[0]: line[1 : len(head)] for line in detection_lines(found["rows"], level)}
    names = [*(name for name in ANSWERS if name in lines), *(name for name in lines if name not in ANSWERS)]
    return table(head, ((ANSWERS.get(name, name), *lines[name]) for name in names))


def recovering() -> str:
    """What recovery comes to with what is declared, or learned alone."""
    return table(("agent, recovery", "NP", "P3", "P4", "PRR", "RC"), guarded_lines(result("detectors")["rows"]))


def midway() -> str:
    """Drift under kernel faults that begin midway."""
    rows = result("drift")["rows"]
    found = {(row["mode"], row["metric"]): row for row in rows}
    metrics = ("drift found", "answers until drift is found", "statement broken, of answers")

    def lines() -> Iterator[Sequence[str]]:
        for mode in dict.fromkeys(row["mode"] for row in rows):
            drifted, until, broken = (found[mode, metric] for metric in metrics)
            yield f"`{mode}`", cell(drifted), cell(until, 0), cell(broken)

    return table(("fault", "streams with drift found, %", "answers until then", "answers called wrong, %"), lines())


def diagnosed() -> str:
    """How often diagnoses of unseen failures are right."""
    rows = measure_diagnoses("test")[0]
    found = {(row["level"], row["metric"]): row for row in rows}

    def lines() -> Iterator[Sequence[str]]:
        for level in ("all", "in the published table", "not in it", "without status or name"):
            yield _diagnosed_line(found, level)
        for level in dict.fromkeys(row["level"] for row in rows if row["level"].startswith("recognised by ")):
            yield _diagnosed_line(found, level)

    return table(("unseen failures", "n", "published class", "our class", "cause"), lines())


def _diagnosed_line(found: Mapping[tuple[str, str], Any], level: str) -> Sequence[str]:
    cells = [found[level, metric] for metric in ("accuracy", "accuracy_ours", "accuracy_cause")]
    return level, str(cells[0]["n"]), *map(cell, cells)


def confused() -> str:
    """Published classes and what they were recognised as."""
    counts = confusion(measure_diagnoses("test")[1])
    classes = sorted({truth for truth, _ in counts})
    columns = [*classes, "none"]
    short = {name: "".join(word[0] for word in re.split(r"[\s-]", name)).upper() for name in classes} | {"none": "none"}
    lines = ([name, *(str(counts[name, other] or "") for other in columns)] for name in classes)
    return table(("published class (rows), recognised as", *(short[name] for name in columns)), lines)


SETS = ("seen", "kinds", "tools", "both", "codes")
CELLS = {"P1": "explicit, passes", "P2": "explicit, stays", "P3": "implicit, passes", "P4": "implicit, stays"}


def proof(size: str) -> tuple[Rows, dict[tuple[str, ...], Mapping[str, Any]]]:
    """The measures of a proof, and the same by model, set, cell and metric."""
    rows = [row for row in result(f"proof_{size}")["rows"] if row["suite"] == "proof"]
    return rows, {(row["model"], row["mode"], row["level"], row["metric"]): row for row in rows}


def taught(size: str) -> str:
    """The recovery rate of each arm on each set, and its other metrics on the first."""
    rows, found = proof(size)

    def lines() -> Iterator[Sequence[str]]:
        for model in dict.fromkeys(row["model"] for row in rows):
            rates = (cell(found.get((model, name, "all", "rr")), 0) for name in SETS)
            others = (cell(found[model, "seen", "all", metric], 0, bare=True) for metric in ("tsr", "csr"))
            calls = cell(found[model, "seen", "all", "es"], 2, bare=True)
            yield model, *rates, *others, calls, cell(found[model, "seen", "clean", "tsr"], 0, bare=True)

    return table(("", *(f"RR: `{name}`" for name in SETS), "TSR", "CSR", "ES", "clean"), lines())


SHORT = {  # arms of the proof, in the words of the page for newcomers
    "toolbench": "clean trajectories",
    "failure-only": "failures without what followed",
    "paladin 80 % clean": "the recipe, 80 % clean",
    "paladin": "the recipe: 80 % failing, continued by the planner",
    "paladin + retrieval": "the recipe, with the bank's advice in the episode",
}


def short() -> str:
    """The recovery rates of five arms on three sets."""
    _, found = proof("full")

    def lines() -> Iterator[Sequence[str]]:
        for model, words in SHORT.items():
            rates = (cell(found.get((model, name, "all", "rr")), 0) for name in ("seen", "kinds", "tools"))
            yield words, *rates, cell(found[model, "seen", "clean", "tsr"], 0, bare=True)

    head = ("taught, after the same pre-training", "failures as taught", "kinds never seen", "tools never seen")
    return table((*head, "clean tasks done"), lines())


def cells(size: str, chosen: str) -> str:
    """The recovery rate on one set, cell by cell, of the arms that recover more often than now and then."""
    rows, found = proof(size)
    own = [row for row in rows if row["mode"] == chosen and row["metric"] == "rr" and row["level"] == "all"]

    def lines() -> Iterator[Sequence[str]]:
        for model in (row["model"] for row in own if (row["value"] or 0) >= 5):
            yield model, *(cell(found[model, chosen, level, "rr"], 0) for level in (*CELLS, "dead end"))

    return table((f"RR on `{chosen}`", *CELLS.values(), "dead end"), lines())


def amounts() -> str:
    """The recovery rate by rows of data, and over the steps of training."""
    rows = result("proof_full")["rows"]
    of = [row for row in rows if row["suite"] == "proof/amount"]
    way = {(row["level"], row["metric"]): row for row in rows if row["suite"] == "proof/curve"}
    steps = list(dict.fromkeys(step for step, _ in way))
    by_rows = table(("rows", *(row["level"] for row in of)), iter([("RR", *(cell(row, 0) for row in of))]))
    shown = {"rr": "RR", "tsr": "TSR", "tsr_clean": "clean"}
    by_steps = ((name, *(cell(way[step, metric], 0) for step in steps)) for metric, name in shown.items())
    return by_rows + "\n" + table(("steps", *steps), by_steps)


def moments(setting: str) -> str:
    """Scripted agents on maze under one setting of the moment at which faults strike actions."""
    rows = [row for row in result("moments")["rows"] if row["moment"] == setting]
    found = {(row["agent"], row["mode"], row["metric"]): row for row in rows}
    modes = ("NP", "P1", "P2", "P3", "P4")

    def lines() -> Iterator[Sequence[str]]:
        for agent in dict.fromkeys(row["agent"] for row in rows):
            rates = (cell(found.get((agent, mode, "tsr")), bare=True) for mode in modes)
            whole = (cell(found.get((agent, "all", name))) for name in ("prr", "rc", "doubled", "wrong_effects"))
            yield f"`{agent}`", *rates, *whole

    return table(("agent", *modes, "PRR", "RC", "doubled", "wrong effects"), lines())


RUNG_NAMES = {
    "glance": "at a glance",
    "arithmetic": "by arithmetic",
    "across": "across tools",
    "second_source": "by a second source",
}


def ladder_rules() -> str:
    """The share of each rung of the ladder of implicit faults, and how many of its instances each rule finds."""
    rows = {(row["mode"], row["level"], row["metric"]): row for row in result("ladder")["rows"]}
    rules = ("empty", "leak", "echo", "limit", "knowledge", "relation", "across", "refused")
    further = ("history", "branch", "again")

    def lines() -> Iterator[Sequence[str]]:
        for level, name in (*RUNG_NAMES.items(), ("all", "all"), ("", "`--implicit published`")):
            at = ("ladder", level) if level else ("published", "all")
            offered = cell(rows[*at, "offered"], bare=True) if (*at, "offered") in rows else ""
            share, *found = (cell(rows[*at, rule], bare=True) for rule in ("share", "three rules", *rules))
            again = (cell(rows[*at, rule], bare=True) if level == "second_source" else "" for rule in further)
            yield name, str(rows[*at, "echo"]["n"]), offered, share, *found, *again

    shares = ("faults", "offered by", "share", "the first three")
    names = ("empty", "leak", "echo", "limit", "known fact", "relation", "earlier answer", "refusal")
    return table(("detectable by", *shares, *names, "history", "branch", "asked again"), lines())


def ladder_agents() -> str:
    """PRR of scripted agents on each rung."""
    rows = [row for row in result("ladder")["rows"] if row["agent"] and row["mode"] == "all"]
    found = {(row["agent"], row["metric"]): row for row in rows}

    def lines() -> Iterator[Sequence[str]]:
        for agent in dict.fromkeys(row["agent"] for row in rows):
            yield f"`{agent}`", *(cell(found.get((agent, f"prr_{rung}"))) for rung in RUNG_NAMES)

    return table(("agent", *RUNG_NAMES.values()), lines())


def foreign_evals() -> str:
    """What reference agents keep of the tasks of others; of the recovery layer, what it could keep."""
    rows = result("foreign_evals")["rows"]
    found = {(row["suite"], row["agent"], row["mode"], row["metric"]): row for row in rows if row["level"] == "all"}
    modes = ("P1", "P2", "P3", "P4")

    def lines() -> Iterator[Sequence[str]]:
        for suite, agent in dict.fromkeys((row["suite"], row["agent"]) for row in rows):

            def one(mode: str, metric: str, own: tuple[str, str] = (suite, agent)) -> str:
                return cell(found.get((*own, mode, metric)), 0)

            kept = (one(mode, "kept") for mode in modes)
            ceiling = ", ".join(one(mode, "ceiling") for mode in modes[:2])
            counted = (one("all", metric) for metric in ("early_stops", "doubled", "doubled_by_state"))
            name, samples = suite.removeprefix("inspect:"), found[suite, agent, "NP", "clean"]["n"]
            stops = one("P2", "right_stop")
            yield name, f"`{agent}`", one("NP", "clean"), *kept, ceiling, stops, *counted, str(samples)

    counts = ("right stop P2", "early stops", "doubled", "doubled, by state")
    heads = ("eval", "agent", "clean", *modes, "ceiling P1, P2", *counts, "samples")
    return table(heads, lines())


def million() -> str:
    """What report and rank cost by how many episodes there are, without the table of verdicts and with it."""
    found = {(row["n"], row["mode"], row["metric"]): row["value"] for row in result("million")["rows"]}

    def lines() -> Iterator[Sequence[str]]:
        for (size, mode, metric), value in found.items():
            if metric == "cpu_s" and (size, mode, "all_peak_mib") not in found:  # those are of judging alone
                peak, wall = found.get((size, mode, "peak_mib")), found[size, mode, "wall_s"]
                yield f"{size:,}", mode, f"{wall:.1f}", f"{value:.1f}", "–" if peak is None else f"{peak:,.0f}"

    return table(("episodes", "command", "seconds", "CPU, s", "peak of memory, MiB"), lines())


def million_judging() -> str:
    """What judging costs by how many records there are, in one process and in several."""
    metrics = ("wall_s", "episodes_per_s", "peak_mib", "all_peak_mib")
    found = {(row["n"], row["mode"], row["metric"]): row["value"] for row in result("million")["rows"]}
    judging = dict.fromkeys((size, mode) for size, mode, metric in found if metric == "all_peak_mib")
    rows = ((f"{n:,}", mode, *(f"{found[n, mode, metric]:,.0f}" for metric in metrics)) for n, mode in judging)
    head = ("episodes", "command", "seconds", "episodes/s", "its peak, MiB", "peak of all processes, MiB")
    return table(head, rows)


def million_disk() -> str:
    """Bytes of an episode."""
    found = {(row["n"], row["metric"]): row["value"] for row in result("million")["rows"] if row["mode"] == "disk"}

    def lines() -> Iterator[Sequence[str]]:
        for size in dict.fromkeys(size for size, _ in found):
            sizes = (found.get((size, f"{name}_bytes")) for name in ("records", "chain", "table", "compressed"))
            page = found[size, "page_mib"]
            yield f"{size:,}", *("–" if one is None else f"{one:,.0f}" for one in sizes), f"{page:g}"

    return table(("episodes", "records", "their chain", "table", "all three, compressed", "page, MiB"), lines())


def log_reports() -> str:
    """What a report of a log of Inspect's costs, without the table of its verdicts and with it."""
    found = {(row["n"], row["agent"], row["metric"]): row["value"] for row in result("report_memory")["rows"]}

    def lines() -> Iterator[Sequence[str]]:
        for size, agent, metric in found:
            if metric == "cpu_s":
                peak = found[size, agent, "page_mib"]
                way = "with the table" if agent.endswith(", with the table") else "first"
                yield f"{size:,}", way, f"{found[size, agent, metric]:.1f}", f"{peak:,.0f}"

    return table(("samples", "report", "CPU, s", "peak of memory, MiB"), lines())


def ray_scaling(part: str) -> str:
    """What a command takes on a local Ray cluster, measured; or on a large one, on paper."""
    rows = result("ray_scaling")["rows"]
    if part == "paper":
        parts = ((row["mode"], f"{row['value']:,.0f}") for row in rows if row["level"] == "on paper")
        return table(("a million episodes on 1,000 nodes", "seconds"), parts)
    found = {(row["level"], row["mode"], row["metric"]): row for row in rows}

    def lines() -> Iterator[Sequence[str]]:
        for place in ("one process", "1 node", "2 nodes"):
            figures = (("one task", "seconds"), ("whole", "seconds"), ("whole", "ratio"), ("whole", "overhead"))
            yield (
                place,
                *(cell(found.get((place, size, metric)), 2 if metric == "ratio" else 1) for size, metric in figures),
            )

    few, many = (found["one process", size, "seconds"]["n"] for size in ("one task", "whole"))
    head = (f"{few} episodes, s", f"{many:,} episodes, s", "ratio to one process", "overhead, %")
    return table(("where", *head), lines())


def foreign_evals_cost(part: str) -> str:
    """What a run adds to evals of others, in processor time or in function calls, or what the figures come to."""
    found = result("foreign_evals_cost")
    if part == "words":
        faulted = (row for row in result("foreign_evals")["rows"] if row["metric"] == "kept")
        evals = list(foreign_cost_tables.by_eval(faulted))
        return foreign_cost_tables.words(found["made"], found["rows"], evals)
    if part == "calls":
        if not foreign_cost_tables.has_calls(found["rows"]):
            return "They are not counted in these figures yet.\n"
        return table(foreign_cost_tables.CALLS_HEAD, foreign_cost_tables.added_calls(found["rows"]))
    return table(foreign_cost_tables.HEAD, foreign_cost_tables.added_time(found["rows"]))


def http_clients() -> str:
    """What our transports add to a request, in microseconds."""
    modes = {"idle": "no rule", "armed": "armed", "matching": "matching", "firing": "firing", "refusing": "refusing"}
    found: dict[str, dict[tuple[str, str], str]] = {}
    for row in result("http_clients")["rows"]:
        found.setdefault(row["agent"], {})[row["mode"], row["metric"]] = f"{row['value']:.0f}"
    lines = (
        (client, own["bare", "p50_us"], *(own[mode, "added_p50_us"] for mode in modes)) for client, own in found.items()
    )
    return table(("client", "bare", *modes.values()), lines)


def covering() -> str:
    """How often intervals hold the truth, by kind of figure and number of tasks."""
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    for row in result("coverage")["rows"]:
        if row["metric"] == "coverage":
            key = row["mode"].partition(":")[0], row["level"]
            found.setdefault(key, {}).setdefault(row["agent"], []).append(row["value"])

    def lines() -> Iterator[Sequence[str]]:
        groups = list(dict.fromkeys(group for group, _ in found))
        for (group, level), by in sorted(
            found.items(), key=lambda one: (groups.index(one[0][0]), int(one[0][1].split()[0]))
        ):
            ours = sorted(by["sealegs"])
            before = by.get("bootstrap")  # it was not made for two sets of tasks
            others = (min(before), statistics.median(before)) if before else (None, None)
            figures = (ours[0], statistics.median(ours), ours[-1], *others)
            yield group, level, str(len(ours)), *("–" if one is None else f"{one:.1f}" for one in figures)

    return table(("figure", "", "designs", "lowest", "median", "highest", "bootstrap: lowest", "median"), lines())


def coverage_limits() -> str:
    """The exact coverage of intervals for one share, by method."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in result("coverage_limits")["rows"]:
        if row["metric"] == "exact":
            found.setdefault((row["agent"], row["level"]), {})[row["mode"]] = row["value"]
    shares = list(next(iter(found.values())))

    def lines() -> Iterator[Sequence[str]]:
        for (method, level), own in sorted(found.items(), key=lambda one: int(one[0][1].split()[0])):
            yield method, level, *(f"{own[share]:.1f}" for share in shares)

    return table(("interval", "", *shares), lines())


CAUSES = {
    "error of measurement": "not above 97 % in 8,000 other experiments",
    "discreteness": "no interval of this estimate holds the truth in 93 to 97 %",
    "gap": "any shorter by one factor hold it in less than 93 %",
    "neighbour": "hold it in less than 93 % in a design beside it, if they are so short",
    "too wide": "too wide: no such design was found",
}


def coverage_causes() -> str:
    """Why intervals are above 97 %: how many designs of each kind of figure, and the factor that leaves 97 %."""
    found: dict[str, dict[str, int]] = {}
    rows = result("coverage_limits")["rows"]
    for row in rows:
        if row["metric"] == "cause":
            own = found.setdefault(row["mode"].partition(":")[0], dict.fromkeys(CAUSES, 0))
            own[row["agent"]] += 1

    def lines() -> Iterator[Sequence[str]]:
        for cause, words in CAUSES.items():
            counts = [own[cause] for own in found.values()]
            factors = [row["value"] for row in rows if row["metric"] == "shorter" and row["agent"] == cause]
            shorter = [one for one in factors if one < 1]
            middle = f"{statistics.median(shorter):.2f}" if shorter else "–"
            yield words, *map(str, counts), str(sum(counts)), middle

    return table(("the intervals", *found, "all", "factor"), lines())


def coverage_rules() -> str:
    """How many designs are below 93 % and above 97 % without each rule of the intervals."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for row in result("coverage_rules")["rows"]:
        found.setdefault(row["agent"], {}).setdefault(row["level"], {})[row["metric"]] = row["value"]

    def lines() -> Iterator[Sequence[str]]:
        for rule, own in found.items():
            total, *groups = own.values()
            counts = (f"{one['below']:g} / {one['above']:g}" for one in (total, *groups))
            yield rule or "(all rules in force)", *counts, f"{total['lowest']:.1f}"

    return table(("without", *next(iter(found.values())), "lowest"), lines())


def sandbox_cells() -> str:
    """What permitted calls did to what is shared, by user, with and without user namespaces and bubblewrap."""
    found: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
    for row in result("sandbox_calls")["rows"]:
        found.setdefault(row["mode"], {}).setdefault(row["level"], []).append(row)

    def words(rows: Rows) -> str:
        if rows[0]["metric"] == "refused":
            return f"cannot be had: {rows[0]['why'].rpartition(': ')[2]}"
        changes = [row for row in rows if row["metric"] == "changes"]
        changing = sum(row["value"] > 0 for row in changes)
        return f"{changing} of {len(changes)} calls changed anything, in {sum(row['n'] for row in changes):,} attempts"

    lines = ((mode, words(own["bubblewrap"]), words(own["weak"])) for mode, own in found.items())
    return table(("user", "strong", "weak"), lines)


def first_minutes() -> str:
    """What a new user writes and waits for with each tool, and the exit code of the command."""
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in result("first_minutes")["rows"]:
        found.setdefault(row["agent"], {})[row["metric"]] = row

    def lines() -> Iterator[Sequence[str]]:
        for tool, row in found.items():
            time = row["cpu_s"]
            cost = f"{time['value']:.2f} ({time['low']:.2f} to {time['high']:.2f})"
            yield f"`{tool}`", str(row["lines"]["value"]), cost, str(row["exit_code"]["value"])

    return table(("tool", "lines", "CPU, s", "exit code"), lines())


def call_price() -> str:
    """What a call costs beyond the bare tool, sync and async, under Sealegs and under each peer."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for row in result("call_price")["rows"]:
        if row["metric"] == "added_us":
            found.setdefault(row["mode"], {}).setdefault(row["agent"], {})[row["level"]] = row["value"]
    libraries = [*dict.fromkeys(name for own in found.values() for name in own)]

    def lines() -> Iterator[Sequence[str]]:
        for mode in sorted(
            found, key=lambda mode: 2 * mode.endswith(", recorded and read") + mode.endswith(", recorded")
        ):
            cells = (found[mode].get(name) for name in libraries)
            yield mode, *(f"{own['sync']:.1f} / {own['async']:.1f}" if own else "–" for own in cells)

    return table(("mode", *libraries), lines())


def recovery(part: str) -> str:
    """What the recovery layer is worth over an engine, who recovered, and what the layer costs."""
    rows = result("recovery")["rows"]
    if part == "who":
        return table(recovery_tables.WHO_HEAD, recovery_tables.who_recovered(rows))
    if part == "cost":
        return table(recovery_tables.COST_HEAD, recovery_tables.added_time(rows))
    level = "direct, ladder" if part == "ladder" else part
    return table(recovery_tables.HEAD, recovery_tables.of_engine(rows, level))


def never_twice(part: str) -> str:
    """Failures after the effect: calls made again and effects that doubled, by way and declaration, or by family."""
    rows = result("never_twice")["rows"]
    if part == "ways":
        return table(recovery_tables.WAYS_HEAD, recovery_tables.over_ways(rows))
    return table(recovery_tables.FAMILIES_HEAD, recovery_tables.by_family(rows))


def mcp_conformance() -> str:
    """Checks of the official suite of MCP that pass, and fail, directly and in each way through the proxy."""
    found: dict[tuple[str, str], dict[str, int]] = {}
    for row in result("mcp_conformance")["rows"]:
        found.setdefault((row["level"], row["mode"]), {})[row["metric"]] = row["value"]
    ways = list(dict.fromkeys(way for _, way in found))

    def lines() -> Iterator[Sequence[str]]:
        for level in dict.fromkeys(level for level, _ in found):
            yield level, *(f"{found[level, way]['passed']} / {found[level, way]['failed']}" for way in ways)

    return table(("passed / failed", *ways), lines())


def http_proxy() -> str:
    """What ways between a client and an HTTP server cost a request, in CPU and in time."""
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in result("http_proxy")["rows"]:
        found.setdefault(row["mode"], {})[row["metric"]] = row

    def lines() -> Iterator[Sequence[str]]:
        for way, row in found.items():
            cpu = "the server itself" if way == "direct" else cell(row["cpu_ms"], 2)
            yield f"`{way}`", cpu, cell(row["p50_ms"], 2), cell(row["times_direct"], 0), cell(row["requests_per_s"], 0)

    return table(("way", "CPU, ms a request", "p50, ms", "times direct", "requests a second"), lines())


def mcp(level: str) -> str:
    """What ways between a client and an MCP server add to a call, and what their start costs."""
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in result("mcp")["rows"]:
        if row["level"] == level:
            found.setdefault(row["mode"], {})[row["metric"]] = row

    def lines() -> Iterator[Sequence[str]]:
        for way, row in found.items():
            if "p50_ms" in row:
                p50, p99 = (cell(row.get(f"added_{metric}"), 3) for metric in ("p50_ms", "p99_ms"))
                yield f"`{way}`", p50, p99, cell(row["calls_per_s"], 0), cell(row["start_cpu_s"], 2)

    return table(("way", "added to p50, ms", "to p99, ms", "calls a second", "CPU to the first answer, s"), lines())


def fuzz() -> str:
    """What each reader of foreign input was tried with, and what came of it."""
    found: dict[str, dict[str, int]] = {}
    for row in result("fuzz")["rows"]:
        found.setdefault(row["level"], {})[row["metric"]] = row["value"]

    def lines() -> Iterator[Sequence[str]]:
        for target, own in found.items():
            slowest = "under 1" if own["slowest_s"] == 0 else str(own["slowest_s"])
            # Runs from before November 29 did not count it.
            accepted = f"{100 * own['accepted'] / own['inputs']:.0f}" if "accepted" in own else "not counted"
            yield target, f"{own['inputs']:,}", accepted, str(own["findings"]), slowest, f"{own['peak_mb']:,}"

    return table(("reader", "inputs", "accepted, %", "findings", "slowest, s", "memory, MiB"), lines())


def writes() -> str:
    """Where commands were killed or failed, and what the same command could not make good."""
    counted = ("tried", "lost", "doubled", "left", "wrong")
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in result("writes")["rows"]:
        found.setdefault(row["agent"], []).append(row)

    def lines() -> Iterator[Sequence[str]]:
        for command, own in found.items():
            tried = [row for row in own if row["metric"] == "tried"]
            calls = sum({row["level"]: row["n"] for row in tried}.values())
            possible = sum(row["n"] for row in tried)
            sums = {name: sum(row["value"] for row in own if row["metric"] == name) for name in counted}
            yield command, f"{calls:,}", f"{possible:,}", *(f"{sums[name]:,}" for name in counted)

    head = ("command", "calls", "faults possible", "tried", "rows lost", "rows doubled", "files left", "false claims")
    return table(head, lines())


def rank_coverage() -> str:
    """How often intervals of ranks hold, by design and number of tasks, beside those of a bootstrap."""
    found: dict[tuple[str, str], dict[tuple[str, str], float]] = {}
    for row in result("rank_coverage")["rows"]:
        found.setdefault((row["mode"], row["level"]), {})[row["agent"], row["metric"]] = row["value"]

    def lines() -> Iterator[Sequence[str]]:
        for (design, tasks), own in found.items():
            cells = (
                f"{own[agent, metric]:.1f}" for agent in ("sealegs", "bootstrap") for metric in ("coverage", "width")
            )
            yield design, tasks, *cells

    return table(("true rates", "", "holds, %", "ranks", "bootstrap: holds, %", "ranks"), lines())


def paper_campaign() -> str:
    """The campaign of the paper's shape, over all faults, beside what the paper says of its models."""
    metrics = ("tsr", "hr", "tr")
    measured: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in result("micro")["rows"]:
        if (row["level"], row["mode"]) == ("all", "all") and row["metric"] in metrics:
            measured.setdefault(row["model"], {})[row["metric"]] = row

    def lines() -> Iterator[Sequence[str]]:
        for model, of in measured.items():
            yield f"`{model}`", *(cell(of[metric]) for metric in metrics)
        for model, rates in chaosllm_rates().items():
            yield f"{model}, as published", *(f"{rates[metric]:.1f}" for metric in metrics)

    return table(("model", *(metric.upper() for metric in metrics)), lines())


def structure() -> str:
    """How the package is built, beside others."""
    found: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
    for row in result("structure")["rows"]:
        found.setdefault((row["agent"], row["level"]), {})[row["metric"]] = row

    def percent(row: Mapping[str, Any]) -> str:
        return f"{100 * row['value'] / row['n']:.2f}"

    def lines() -> Iterator[Sequence[str]]:
        for (package, version), of in found.items():
            yield (
                f"{package} {version}".strip(),
                f"{of['lines']['value']:,}",
                str(of["largest_circle"]["value"]),
                f"{of['median_function']['value']:g}",
                f"{percent(of['functions_over_30'])} / {percent(of['functions_over_50'])}",
                percent(of["files_over_400"]),
                " / ".join(f"{of[f'complexity_{name}']['value']:g}" for name in ("mean", "p99", "max")),
                f"{of['duplicated_percent']['value']:.2f}",
                f"{cell(of['annotated_percent'])} / {cell(of['documented_percent'])}",
                f"{cell(of['comment_lines_percent'])} / {cell(of['comments_per_100_lines'])}",
                f"{cell(of['shared_classes_percent'])} / {cell(of['shared_functions_percent'])}",
            )

    head = ("package", "lines", "largest circle", "median function", "functions over 30 / 50 lines, %")
    more = (
        "files over 400 lines, %",
        "cyclomatic: mean / p99 / most",
        "duplicated lines, %",
        "annotated / with docstring, %",
        "comments in 100 lines: of their own / all",
        "shared names: classes / functions, %",
    )
    return table((*head, *more), lines())


def highwater_planner() -> str:
    """The planner's accuracy in each setting, on both libraries, without errors and with."""
    rows = [row for row in result("highwater_agents")["rows"] if row["agent"] == "planner"]
    found = {(row["data"], row["level"], row["mode"], row["metric"]): row for row in rows}
    modes = ("no errors", "external errors")

    def lines() -> Iterator[Sequence[str]]:
        for level in dict.fromkeys(row["level"] for row in rows if not row["level"].startswith("distractors")):
            if ("own", level, modes[0], "accuracy") not in found:
                continue
            for data in ("own", "spider"):
                cells = [cell(found[data, level, mode, "accuracy"]) for mode in modes]
                paired = [cell(found[data, level, "all", metric]) for metric in ("accuracy_drop", "kept", "gained")]
                yield level, data, *cells, *paired

    return table(("setting", "data", "no errors", "errors", "drop", "kept", "gained"), lines())


def highwater_published() -> str:
    """Every agent with the published details, on both libraries."""
    rows = result("highwater_published")["rows"]
    found = {(row["agent"], row["level"], row["data"], row["mode"], row["metric"]): row for row in rows}

    def lines() -> Iterator[Sequence[str]]:
        for agent, level in dict.fromkeys((row["agent"], row["level"]) for row in rows):
            metric = "gave_up" if level.startswith("distractors") else "accuracy"
            keys = [(data, mode) for data in ("own", "spider") for mode in ("no errors", "external errors")]
            yield f"`{agent}`", level.partition(",")[0], *(cell(found[agent, level, *key, metric]) for key in keys)

    head = ("agent", "setting", "own, no errors", "own, errors", "Spider, no errors", "Spider, errors")
    return table(head, lines())


def highwater_recall() -> str:
    """Which share of the functions is found by the question, on both libraries."""
    rows = result("highwater_recall")["rows"]
    found = {(row["data"], row["mode"]): row for row in rows if row["metric"] == "recall_at_9_percent"}
    words = {"direct": "the direct function", "composed": "composed solutions", "all": "all known solutions"}

    def lines() -> Iterator[Sequence[str]]:
        for kind, label in words.items():
            yield f"of {label}", *(f"{found[data, f'functions: {kind}']['value']:.1f}" for data in ("own", "spider"))

    return table(("recall@9, %", "own", "Spider"), lines())


def highwater_check() -> str:
    """What `sealegs highwater check` finds in both libraries."""
    words = {
        "problems": "problems",
        "functions": "functions",
        "solutions_disagree": "problems of which a solution gives other rows than the answer",
        "way_round_printed": "problems of which documentation prints a function of a way round",
        "text_printed": "functions whose documentation prints another one's text",
        "filter_does_nothing": "variants in which what another call found makes no difference",
        "answer_is_zero": "variants whose answer is nothing but zeros",
        "longest_run_percent": "words of a function in sequence in what it is a way round, %, median",
        "largest_database_percent": "problems from the largest database, %",
    }
    names = ("highwater_check_own", "highwater_check_spider")
    found = {name: {row["metric"]: row["value"] for row in result(name)["rows"]} for name in names}

    def lines() -> Iterator[Sequence[str]]:
        for metric, label in words.items():
            yield label, *(f"{found[name][metric]:,}" for name in names)

    return table(("", "own", "Spider"), lines())


def private_set() -> str:
    """A private set beside the public one."""
    rows = result("private_set")["rows"]
    private = rows[-1]["task_set"]
    levels = list(dict.fromkeys(row["level"] for row in rows))
    values = {(row["task_set"], row["metric"], row["level"]): row["value"] for row in rows}
    public = next(row["task_set"] for row in rows if row["task_set"] != private)
    names = dict.fromkeys(metric for edition, metric, _ in values if edition == public)

    def cells(edition: str, name: str, places: int) -> str:
        found = [values.get((edition, name, level)) for level in levels]
        return " / ".join("–" if one is None else f"{one:.{places}f}" for one in found)

    def lines() -> Iterator[Sequence[str]]:
        for name in names:
            places = 3 if "similarity" in name else 0 if "%" in name else 2
            apart = cells(private, f"{name}: standard errors from the public tasks", 1)
            yield name, cells(private, name, places), cells(public, name, places), apart

    return table(("by level", "private", "public", "standard errors apart"), lines())


TABLES: Mapping[str, Callable[[], str]] = {
    **{f"moments {setting}": (lambda s=setting: moments(s)) for setting in ("draw", "before", "after")},  # type: ignore[misc]
    **{
        f"paladin {chosen} {backbone}": (lambda c=chosen, b=backbone: arms(c, b))  # type: ignore[misc]
        for chosen in ("eval", "generalisation", "toolreflect")
        for backbone in ("follows_prompt", "follower")
    },
    "highwater planner": highwater_planner,
    "highwater published": highwater_published,
    "highwater recall": highwater_recall,
    "highwater check": highwater_check,
    "ladder rules": ladder_rules,
    "ladder agents": ladder_agents,
    "coverage": covering,
    "coverage limits": coverage_limits,
    "coverage causes": coverage_causes,
    "coverage rules": coverage_rules,
    "rank coverage": rank_coverage,
    "private set": private_set,
    "sandbox cells": sandbox_cells,
    "first minutes": first_minutes,
    "call price": call_price,
    "http clients": http_clients,
    **{
        f"recovery {part}": (lambda part=part: recovery(part))  # type: ignore[misc]
        for part in ("direct", "ladder", "langchain", "mcp", "who", "cost")
    },
    **{f"never twice {part}": (lambda part=part: never_twice(part)) for part in ("ways", "families")},  # type: ignore[misc]
    "mcp conformance": mcp_conformance,
    **{f"mcp {level}": (lambda level=level: mcp(level)) for level in ("stdio", "http")},  # type: ignore[misc]
    "http proxy": http_proxy,
    "fuzz": fuzz,
    "million": million,
    "million judging": million_judging,
    "million disk": million_disk,
    "log reports": log_reports,
    **{f"ray {part}": (lambda part=part: ray_scaling(part)) for part in ("scaling", "paper")},  # type: ignore[misc]
    "writes": writes,
    "structure": structure,
    "campaign paper": paper_campaign,
    "paladin rules": lambda: loose("eval", "follows_prompt"),
    "paladin agreement": lambda: agreement("fresh / fresh-code"),
    "paladin correlations": lambda: correlated("as published"),
    "paladin es": efficiency,
    "detectors small": lambda: detection(0),
    "detectors large": lambda: detection(1),
    "detectors recovery": recovering,
    "detectors drift": midway,
    "diagnosis unseen": diagnosed,
    "diagnosis confusion": confused,
    **{f"proof {size}": (lambda s=size: taught(s)) for size in ("ci", "full")},  # type: ignore[misc]
    "proof short": short,
    "foreign evals": foreign_evals,
    **{
        f"foreign evals cost {part}": (lambda part=part: foreign_evals_cost(part))  # type: ignore[misc]
        for part in ("time", "calls", "words")
    },
    "proof cells seen": lambda: cells("full", "seen"),
    "proof cells kinds": lambda: cells("full", "kinds"),
    "proof amounts": amounts,
    "results": lambda: table(("file", "what it measures", "command", "date", "commit", "rows"), results_lines()),
}


def written(text: str) -> str:
    """A page with its tables as they are now."""

    def filled(found: re.Match[str]) -> str:
        name = found["name"]
        if name not in TABLES:
            raise SystemExit(f"there is no table {name!r}; there are {', '.join(TABLES)}")
        return f"{found[1]}\n{TABLES[name]()}\n{found[3]}"

    return BLOCK.sub(filled, text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = []
    for page in sorted((ROOT / "docs").rglob("*.md")):
        before = page.read_text(encoding="utf-8")
        after = written(before)
        if before != after:
            stale.append(page.name)
            if not check:
                page.write_text(after, encoding="utf-8")
    print(f"{'not as they would be written' if check else 'written'}: {', '.join(stale) or 'none'}")
    sys.exit(bool(check and stale))


if __name__ == "__main__":
    main()
