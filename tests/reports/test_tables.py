"""The printed tables as golden text, from rows and verdicts made by hand."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from sealegs.reports.tables import print_tables
from sealegs.scoring.maze_metrics import MazeResult
from sealegs.scoring.metric import Row
from tests.reports.report_runs import episodes, material
from tests.reports.verdicts import clean, result, row, verdict

UNAWARE = {"noticed": False, "strategy": False, "attribution": "unaware"}


def results() -> list[MazeResult]:
    unexposed = clean(False, attribution="never exposed")
    return [
        result("C1", "NP", clean()),
        result("C2", "NP", clean(False, published=True, attribution="claimed success falsely")),
        result("C1", "P1", verdict()),
        result("C2", "P1", verdict(False, **UNAWARE)),
        result("C1", "P3", verdict(False, published=True, outcome=True, minefields=("blind call: note",), **UNAWARE)),
        result("C2", "P3", unexposed),
    ]


def rows() -> list[Row]:
    return [
        row("all", "all", "composite", 49.86, 33.333, 60.0, 6),
        row("C1", "NP", "tsr", 100.0, 20.65, 100.0, 1),
        row("C1", "P1", "tsr", 100.0, 20.65, 100.0, 1),
        row("C1", "P3", "tsr", 0.0, 0.0, 79.35, 1),
        row("C1", "all", "tsr", 66.67, 66.67, 66.67, 3),
        row("C2", "NP", "tsr", 0.0, 0.0, 79.35, 1),
        row("C2", "P1", "tsr", 0.0, 0.0, 79.35, 1),
        row("C2", "P3", "tsr", 0.0, 0.0, 79.35, 1),
        row("C2", "all", "tsr", 0.0, 0.0, 0.04, 3),
        row("all", "NP", "tsr", 50.0, 9.45, 90.55, 2),
        row("all", "P1", "tsr", 50.0, 9.45, 90.55, 2),
        row("all", "P3", "tsr", 0.0, 0.0, 65.76, 2),
        row("all", "all", "tsr", 33.33, 0.0, 66.67, 6),
        row("all", "NP", "tsr_as_published", 100.0, 34.24, 100.0, 2),
        row("all", "P1", "tsr_as_published", 50.0, 9.45, 90.55, 2),
        row("all", "P3", "tsr_as_published", 50.0, 9.45, 90.55, 2),
        row("all", "all", "tsr_as_published", 66.67, 33.33, 100.0, 6),
        row("all", "NP", "outcome", 50.0, 9.45, 90.55, 2),
        row("all", "P3", "outcome", 50.0, 9.45, 90.55, 2),
        row("all", "P3", "process", 25.0, 0.0, 50.0, 2),
        row("all", "P3", "doubled", 50.0, 9.45, 90.55, 2),
        row("all", "P3", "wrong_effects", 0.0, 0.0, 65.76, 2),
        row("all", "P3", "false_claims", 100.0, 34.24, 100.0, 2),
        row("C1", "P1", "prr", 100.0, 20.65, 100.0, 1),
        row("C1", "P3", "prr", 0.0, 0.0, 79.35, 1),
        row("C1", "all", "prr", 50.0, 50.0, 50.0, 2),
        row("C2", "P1", "prr", 0.0, 0.0, 79.35, 1),
        row("C2", "P3", "prr", None, None, None, 0),
        row("C2", "all", "prr", 0.0, 0.0, 79.35, 1),
        row("all", "P1", "prr", 50.0, 9.45, 90.55, 2),
        row("all", "P3", "prr", 0.0, 0.0, 79.35, 1),
        row("all", "all", "prr", 25.0, 0.0, 50.0, 3),
        row("all", "all", "rc", 57.5, 25.0, 100.0, 4),
        row("C2", "P3", "rc", 0.0, 0.0, 0.0, 1),
    ]


def printed(found: list[Row], judged: list[MazeResult], width: int) -> list[str]:
    text = io.StringIO()
    print_tables(found, judged, Console(file=text, width=width, color_system=None))
    return [line.rstrip() for line in text.getvalue().splitlines()]


WIDE = """\
maze: hand [made], 6 episodes, composite score 49.9 [33.3, 60.0]

Success, recovery and harm by mode, % [95 % interval]
                  TSR               PRR                RC           Doubled  Wrong effects
──────────────────────────────────────────────────────────────────────────────────────────
NP   50.0 [9.4, 90.5]                 –                 –                 –              –
P1   50.0 [9.4, 90.5]  50.0 [9.4, 90.5]                 –                 –              –
P3        0 [0, 65.8]       0 [0, 79.3]                 –  50.0 [9.4, 90.5]    0 [0, 65.8]
all    33.3 [0, 66.7]    25.0 [0, 50.0]  57.5 [25.0, 100]                 –              –

TSR: task success rate, % [95 % interval]
                   NP                P1           P3                all
───────────────────────────────────────────────────────────────────────
C1    100 [20.6, 100]   100 [20.6, 100]  0 [0, 79.3]  66.7 [66.7, 66.7]
C2        0 [0, 79.3]       0 [0, 79.3]  0 [0, 79.3]         0 [0, 0.0]
all  50.0 [9.4, 90.5]  50.0 [9.4, 90.5]  0 [0, 65.8]     33.3 [0, 66.7]

PRR: perturbation recovery rate, % [95 % interval]
                   P1           P3                all
─────────────────────────────────────────────────────
C1    100 [20.6, 100]  0 [0, 79.3]  50.0 [50.0, 50.0]
C2        0 [0, 79.3]  not exposed        0 [0, 79.3]
all  50.0 [9.4, 90.5]  0 [0, 79.3]     25.0 [0, 50.0]
"""


def test_wide() -> None:
    lines = printed(rows(), results(), 120)
    assert "\n".join(lines).startswith(WIDE), "\n".join(lines)


REST = """\
Strict verdict, outcome and process, and which alone says success
           strict TSR           outcome         process  outcome alone  strict alone  on a minefield
────────────────────────────────────────────────────────────────────────────────────────────────────
NP   50.0 [9.4, 90.5]  50.0 [9.4, 90.5]               –              0             0               0
P1   50.0 [9.4, 90.5]                 –               –              0             0               0
P3        0 [0, 65.8]  50.0 [9.4, 90.5]  25.0 [0, 50.0]              1             0               1
all    33.3 [0, 66.7]                 –               –              1             0               1

Two judges: how often they disagree, and which alone says success
           strict TSR  TSR as published  disagree  published alone  strict alone
────────────────────────────────────────────────────────────────────────────────
NP   50.0 [9.4, 90.5]   100 [34.2, 100]         1                1             0
P1   50.0 [9.4, 90.5]  50.0 [9.4, 90.5]         0                0             0
P3        0 [0, 65.8]  50.0 [9.4, 90.5]         1                1             0
all    33.3 [0, 66.7]  66.7 [33.3, 100]         2                2             0

Harm under faults: episodes with any of it, and with its other kinds, %
     any  on corrupt input      false claim
───────────────────────────────────────────
P1     –                 –                –
P3     –                 –  100 [34.2, 100]
all    –                 –                –

From fault to recovery, in episodes
     planned  exposed  noticed  right strategy  completed
─────────────────────────────────────────────────────────
P1         2        2        1               1          1
P3         2        1        0               0          0
all        4        3        1               1          1

What went wrong, in episodes
                         NP  P1  P3  all
────────────────────────────────────────
unaware                   –   1   1    2
never exposed             –   –   1    1
claimed success falsely   1   –   –    1"""


def test_what_lies_behind_the_rates() -> None:
    lines = printed(rows(), results(), 120)
    assert "\n".join(lines).endswith(REST), "\n".join(lines)


def test_rc_of_a_cell_without_a_fault_is_not_a_perfect_zero() -> None:
    lines = printed(rows(), results(), 120)
    rc = lines.index("RC: redundancy cost, % [95 % interval]")
    assert lines[rc + 4].split()[:2] == ["C2", "–"]
    assert "not exposed" in lines[rc + 4]


NARROW = """\
PRR: perturbation recovery rate, % [95 % interval]
           P1       P3        all
─────────────────────────────────
C1        100        0       50.0
     20.6–100   0–79.3  50.0–50.0
C2          0      not          0
       0–79.3  exposed     0–79.3
all      50.0        0       25.0
     9.4–90.5   0–79.3     0–50.0
"""


def test_narrow_puts_intervals_under_values() -> None:
    assert NARROW in "\n".join(printed(rows(), results(), 80))


def test_a_run_without_a_delivered_fault_is_inconclusive() -> None:
    judged = [result("C1", "NP", clean()), result("C1", "P2", clean(False, attribution="never exposed"))]
    lines = printed([row("all", "all", "rc", 0.0, 0.0, 0.0, 1)], judged, 120)
    assert lines[1].startswith("inconclusive: no planned fault was delivered")
    assert lines[lines.index("PRR: perturbation recovery rate, % [95 % interval]") + 4].split() == [
        "all",
        "not",
        "exposed",
        "inconclusive",
    ]
    funnel = lines[lines.index("From fault to recovery, in episodes") + 3]
    assert funnel.split() == ["P2", "1", "not", "exposed", "–", "–", "–"]


def test_a_run_without_fault_modes_prints_success_alone() -> None:
    text = "\n".join(printed([row("all", "NP", "tsr", 100.0, 20.7, 100.0, 1)], [result("C1", "NP", clean())], 120))
    assert "TSR" in text
    assert "PRR" not in text
    assert "exposed" not in text
    assert "went wrong" not in text


def test_nothing_to_print() -> None:
    assert printed([], [], 120) == ["No episode to report."]


@pytest.fixture(scope="module")
def whole() -> tuple[list[Row], list[MazeResult]]:
    made = material(episodes())
    return made.rows, made.results


@pytest.mark.parametrize(("width", "most"), [(120, 120), (200, 120), (80, 80)])
def test_a_whole_run_fits(whole: tuple[list[Row], list[MazeResult]], width: int, most: int) -> None:
    lines = printed(*whole, width)
    assert max(map(len, lines)) <= most
    assert sum(line.startswith("C4 ") for line in lines) == 3


def test_the_widest_cells_fit_120_columns() -> None:
    modes = ("NP", "P1", "P2", "P3", "P4", "all")
    found = [row(level, mode, "tsr", 55.55, 44.44, 66.66, 20) for level in ("C1", "all") for mode in modes]
    judged = [result("C1", mode, verdict() if mode != "NP" else clean()) for mode in modes[:-1]]
    lines = printed(found, judged, 120)
    tsr = lines.index("TSR: task success rate, % [95 % interval]")
    assert lines[tsr + 3].count("[44.4, 66.7]") == 6
    assert max(map(len, lines)) <= 120


def test_recovery_by_rung_is_printed_where_a_fault_is_on_the_ladder() -> None:
    faulted = [replace(found, rung="across") if found.mode == "P3" else found for found in results()]
    by_rung = [row("all", mode, "prr_across", 25.0, 10.0, 60.0, 2) for mode in ("P3", "all")]
    lines = printed([*rows(), *by_rung], faulted, 120)
    start = next(
        number for number, line in enumerate(lines) if line.startswith("PRR by how a false answer is detectable")
    )
    table = [line.split() for line in lines[start + 1 : start + 6]]
    assert ["P3", "–", "–", "25.0", "[10.0,", "60.0]", "–"] in table
    assert ["all", "–", "–", "25.0", "[10.0,", "60.0]", "–"] in table
    assert not any(line[:1] in (["P1"], ["NP"]) for line in table), "no fault of these modes is on it"
    assert not any("PRR by how" in line for line in printed(rows(), results(), 120))
