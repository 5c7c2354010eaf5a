"""One run of a campaign, played in its own process, and its summary afterwards.

What the agent did is written to the run's own file as it happens, so that a run that is ended from outside can
be followed up to its end. The file is in the folder that `FOLDER` in the environment names.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sealegs.scoring.attribution import MODEL_ENDS
from sealegs.suites.micro.campaign.folder import trace_file
from sealegs.suites.micro.campaign.labelling import EndedRun
from sealegs.suites.micro.campaign_faults import experiment_plan, schedule_from
from sealegs.suites.micro.chat_ends import UNREAD
from sealegs.suites.micro.episode import play_micro_episode as play_episode
from sealegs.suites.micro.episode_summary import summarize_cut_off
from sealegs.suites.micro.error_propagation import trace_propagation
from sealegs.suites.micro.isolation import RunEnd
from sealegs.suites.micro.workloads.workload import Workload, load_workloads
from sealegs.traces.record import OUTSIDE

WORK = f"{__name__}:play_planned_run"
PRELOAD = (__name__, "sealegs.suites.micro.campaign.warm")
FOLDER = "SEALEGS_CAMPAIGN_TRACES"
CLEAN = "none"
TERMS = {**MODEL_ENDS, UNREAD: "malformed calls"}  # for how a model ended a run itself


def play_planned_run(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Play one run.

    Args:
        payload: see `PlannedTask.as_data`.

    Returns:
        What `episode.play_micro_episode` returns.
    """
    plan = None
    paired = load_workloads()[payload["task"]].paired
    if payload["fault"] != CLEAN:
        schedule = schedule_from(payload["schedule"])
        plan = experiment_plan(
            payload["fault"], payload["parameters"], schedule, payload["seed"], payload["tool"] or "*"
        )
    folder = os.environ.get(FOLDER)
    return play_episode(
        {
            "workload": payload["task"],
            "model": payload["model"],
            "plan": None if plan is None else plan.as_data(),
            "seed": payload["seed"],
            "level": payload["level"],
            "boundary": (payload["boundary"] or "outer") if paired else "",
            "errors": payload["errors"],
            "record": str(trace_file(Path(folder), payload["id"])) if folder else None,
            # Not the run's id: the same faults for every model.
            "episode": f"{payload['task']} {payload['repetition']}",
        }
    )


def ended_run(ended: RunEnd, traces: Path, workload: Workload) -> EndedRun:
    """The facts of an ended run, from its end and its record."""
    # A run that was killed gave no result; what it did is in the trace that it wrote as it went.
    summary = ended.result if ended.result is not None else summarize_cut_off(trace_file(traces, ended.id))
    how: str = ended.how
    detail = ended.error.splitlines()[0] if ended.error else ""
    if ended.how == "lost":
        how = OUTSIDE
    elif ended.how == "finished" and summary["ended"] == "error":
        how, detail = "raised", str(summary["error"])
    elif ended.how == "finished" and summary["ended"] == OUTSIDE:
        how, detail = OUTSIDE, str(summary["error"])
    elif ended.how == "finished":
        detail = str(summary["error"])
    calls = summary["calls"]
    return EndedRun(
        how,
        summary["answer"],
        detail,
        tuple(_place(call, workload.paired) for call in calls if call["struck"]),
        _handed(workload.name, summary) if workload.paired else "",
        TERMS.get(str(summary["ended"]), ""),
    )


def failed_outside(ended: RunEnd) -> bool:
    """Return whether a run ended by what was neither agent nor tools; it is made again."""
    return ended.how == "lost" or (ended.result is not None and ended.result.get("ended") == OUTSIDE)


def _place(call: Mapping[str, Any], paired: bool) -> str:
    whose = f"the {call['agent']} agent's " if paired else ""
    return f"{'+'.join(call['struck'])} at {whose}{call['tool']}"


def _handed(task: str, summary: Mapping[str, Any]) -> str:
    """The inner agent's handling of the fault, each time that it touched their dealings."""
    words: list[str] = []
    for hop in trace_propagation(task, summary).hops:
        words += [hop.inner] * (hop.inner != "not touched")
        words += ["struck on the way back"] * bool(hop.struck_between)
    return ", then ".join(dict.fromkeys(words))
