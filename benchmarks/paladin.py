"""Every arm of `paladin` over scripted backbones, with retrieval and without, on every set; graders; correlations.

    python benchmarks/paladin.py --json benchmarks/results/paladin.json

Scripted backbones show that the arms, the bank, the sets and the metrics work together. They say nothing about models:
`follower` does whatever its context says, well or badly advised; `follows_prompt` knows no way out but those that an
arm's words name. `benchmarks/doc_tables.py` makes the tables of the documentation of what this writes.
"""

from __future__ import annotations

import argparse

from results_file import write_results

from sealegs.agents.arms import ARMS
from sealegs.reports.paladin_tables import correlation_rows, correlations, published_correlations
from sealegs.scoring.metric import ALL, Row
from sealegs.scoring.paladin_metrics import CLEAN, paladin_table
from sealegs.scoring.trace_labels import agreement_rows, compare_labels
from sealegs.suites.label_sets import labelled_suite, read_trace_labels
from sealegs.suites.paladin import SETS
from sealegs.suites.paladin.arm_engine import Setup, play_paladin_episode
from sealegs.suites.paladin.episodes import episodes_of_set
from sealegs.suites.paladin.paladin_logs import judge_paladin_episode
from sealegs.traces import build_record

BACKBONES = {
    "follower": tuple(ARMS),
    "follows_prompt": tuple(ARMS),
    "naive": ("vanilla",),  # no arm changes the last two
    "planner": ("vanilla",),
}


def runs() -> list[Row]:
    rows: list[Row] = []
    for chosen in SETS:
        for backbone, arms in BACKBONES.items():
            for arm in arms:
                for retrieval in ("off", "on"):
                    setup = Setup(arm, retrieval)
                    found = [
                        judge_paladin_episode(e, build_record(play_paladin_episode(e, backbone, setup)))
                        for e in episodes_of_set(chosen)
                    ]
                    name = f"{arm}/{backbone}" + (" (with retrieval)" if retrieval == "on" else "")
                    rows += paladin_table(found, {"suite": "paladin", "agent": name}, chosen)
    # The others over all classes alone.
    by_class = {"vanilla/follows_prompt", "paladin/follows_prompt (with retrieval)"}
    return [row for row in rows if row["level"] in (ALL, CLEAN) or row["agent"] in by_class]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", default="", help="where to write the long table")
    target = parser.parse_args().json
    rows = runs()
    for backbone in ("follower", "follows_prompt"):
        heard = [row for row in rows if f"/{backbone}" in row["agent"]]
        rows += correlation_rows(correlations(heard), {"suite": "paladin", "agent": f"runs over {backbone}"})
    rows += correlation_rows(published_correlations(), {"suite": "paladin", "agent": "as published"})
    for labels, code in (("labels", "code"), ("fresh", "fresh-code")):
        rows += agreement_rows(
            compare_labels(read_trace_labels(labels), read_trace_labels(code)),
            labelled_suite(labels, code),
            f"{labels} / {code}",
        )
    for row in rows:
        if row["level"] == "all" and row["metric"] in ("rr", "tsr", "csr", "es"):
            print(row["mode"], row["agent"], row["metric"], row["value"], [row["low"], row["high"]], row["n"])
    if target:
        write_results(target, rows)


if __name__ == "__main__":
    main()
