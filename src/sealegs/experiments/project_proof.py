"""A proof that the seam is live in a project: its agent runs once, with one small fault on each tool that it calls.

The fault is a delay: it is delivered and proven like any, and the agent continues as without it, so that every tool
that it calls is seen, and none does its work twice. The run is a real one, with the effects that the tools have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.experiments.agent_under_test import agent_from
from sealegs.experiments.experiment_options import ExperimentOptions, ExperimentRun
from sealegs.experiments.experiment_start import known_specs
from sealegs.experiments.project_calls import counted_runs
from sealegs.experiments.project_checks import DoctorLine
from sealegs.experiments.project_scan import ScannedProject
from sealegs.experiments.run_player import RunPlayer
from sealegs.faults.kinds import Delay
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import First, Tool
from sealegs.recovery.safety import lacks_declaration
from sealegs.recovery.undeclared_tools import remedy
from sealegs.traces import build_record
from sealegs.traces.specs import noted_specs

SECONDS = 0.05  # of the delay; an agent in another process waits for real
PROOF = Plan(
    name="doctor",
    rules=(Rule(id="doctor", match=Tool("*"), when=First(1), fault=Delay(seconds=SECONDS), moment="before"),),
)
LIVE_AGAIN = "`sealegs init` writes what reaches them; docs/adapters.md has the line for each framework"


@dataclass(frozen=True, slots=True)
class ReachedTool:
    """A tool that passed through the seam.

    Attributes:
        name: its name.
        calls: how often it was called.
        faults: the faults that were delivered to it, in words.
        declared: whether it is declared how its calls may be repeated.
    """

    name: str
    calls: int
    faults: tuple[str, ...]
    declared: bool


@dataclass(frozen=True, slots=True)
class SeamProof:
    """The result of one run.

    Attributes:
        agent: the agent's name.
        tools: the tools that passed through the seam, in the order of their first calls.
        ended: the way in which the run ended, if that was not by an answer; else empty.
        past: tools of the project whose functions ran although no call of theirs passed through the seam.
    """

    agent: str
    tools: tuple[ReachedTool, ...]
    ended: str
    past: tuple[str, ...] = ()

    @property
    def live(self) -> bool:
        """Whether a fault was delivered, and no tool was called past the seam."""
        return any(tool.faults for tool in self.tools) and not self.past


def prove_seam(
    agent: str, project: ScannedProject, inputs: Sequence[str] = (), specs: str = "", **more: Any
) -> SeamProof:
    """Run the agent once under a fault on each tool.

    Args:
        agent: `module:function`, a command line, or an address.
        project: what is known of the project's tools.
        inputs: its inputs; the first is taken.
        specs: what is known of the tools, as `module:name`.
        more: `max_calls`, `timeout` and `time_limit`; see `ExperimentOptions`.

    Raises:
        UserError: the agent cannot be found or run at all.
    """
    found = agent_from(agent)
    known = {spec.name: spec for spec in known_specs(specs)}
    options = ExperimentOptions(agent=found.name, inputs=tuple(inputs[:1]) or ("",), runs=1, **more)
    player = RunPlayer(found, options, specs=known)
    functions = {
        name: (project.folder / module.file, module.decorated.get(name, name)) for name, module in project.tools.items()
    }
    with counted_runs(functions) as runs:
        events = player.play(ExperimentRun("faults", 0, options.inputs[0]), PROOF)
    record = build_record(events)
    specs_by_name = {spec.name: spec for spec in noted_specs(record.about)} | known
    ended = "" if record.end.reason == "answered" else f"{record.end.reason}: {record.end.detail}".rstrip(": ")
    names = dict.fromkeys(turn.call.tool for turn in record.turns)
    tools = tuple(_reached(name, record.turns, specs_by_name.get(name)) for name in names)
    return SeamProof(found.name, tools, ended, tuple(name for name in runs if name not in names))


def _reached(name: str, turns: Sequence[Any], spec: ToolSpec | None) -> ReachedTool:
    own = [turn for turn in turns if turn.call.tool == name]
    faults = tuple(
        f"{injection.kind} on call {number}"
        for number, turn in enumerate(own, 1)
        for injection in turn.injections
        if injection.delivered
    )
    return ReachedTool(name, len(own), faults, not lacks_declaration(spec))


def seam_lines(proof: SeamProof, project: ScannedProject) -> Iterator[DoctorLine]:
    """The lines on a run: the calls that passed, the faults that were delivered, and the gaps."""
    if not proof.tools:
        message = f"{proof.agent} was run once, and no tool call passed through the seam"
        yield DoctorLine("seam", "fail", message, LIVE_AGAIN)
    for tool in proof.tools:
        calls = f"{tool.calls} {'call' if tool.calls == 1 else 'calls'}"
        if tool.faults:
            yield DoctorLine("seam", "ok", f"{tool.name}: {calls}; delivered: {', '.join(tool.faults)}")
        else:
            yield DoctorLine("seam", "fail", f"{tool.name}: {calls}, and no fault was delivered", LIVE_AGAIN)
    if proof.ended:
        message = f"without a real fault, it did not end by an answer: {proof.ended}"
        yield DoctorLine("run", "warn", message, "fix this first")
    reached = {tool.name for tool in proof.tools}
    # A function that ran although no call of it passed is a gap in the seam; one that did not run proves nothing.
    for name, module in project.tools.items():
        if name in proof.past:
            yield DoctorLine(
                "tool", "fail", f"{name} ({module.file}) ran, and its call did not pass the seam", LIVE_AGAIN
            )
        elif name not in reached:
            message = f"{name} ({module.file}) was not called in this run, so nothing is proven of it"
            yield DoctorLine("tool", "warn", message, "ask something that needs it (--input)")
    for tool in proof.tools:
        if not tool.declared:
            message = f"{tool.name}: nobody says whether it changes anything, so recovery leaves its failures alone"
            yield DoctorLine(
                "declared",
                "warn",
                message,
                f"@sealegs.tool(effects=False), or in the recovery plan {remedy(tool.name)}",
            )
