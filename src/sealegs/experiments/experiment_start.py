"""An experiment from beginning to end: runs without faults, then under faults, until the verdict is settled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from sealegs.experiments.agent_under_test import agent_from
from sealegs.experiments.code_digest import code_digest
from sealegs.experiments.experiment_folder import ExperimentFolder
from sealegs.experiments.experiment_options import ExperimentOptions, distinct
from sealegs.experiments.experiment_report import ExperimentReport
from sealegs.experiments.experiment_runner import ExperimentRunner, ExperimentView, SilentView
from sealegs.experiments.run_player import Check, RunPlayer
from sealegs.faults.naming import import_callable, import_object
from sealegs.faults.plan import Plan
from sealegs.faults.plan_files import read_plan
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.scoring.run_contracts import contract_from
from sealegs.suites.run_options import options_from


def experiment(
    agent: str | Callable[..., Any] | object,
    plan: str | Path | Plan | None = None,
    *,
    check: str | Check | None = None,
    contracts: Sequence[str] = (),
    inputs: Sequence[str] = (),
    specs: str | Iterable[ToolSpec] = (),
    out: str | Path | None = None,
    jobs: int = 1,
    view: ExperimentView | None = None,
    **more: Any,
) -> ExperimentReport:
    """Run an agent without faults and under faults, and say what that proves.

    Args:
        agent: a callable, an agent object of a framework, `module:name`, a command line, or an address.
        plan: the faults, or the file of a plan; drawn from the tools that are seen without one.
        check: whether an answer is right: a callable that returns True or False or raises, or `module:name`. It takes
            the answer, and `record` and `input` if it names them.
        contracts: what every run must keep, by name (`docs/contracts.md`).
        inputs: the agent's inputs, in turn.
        specs: what is known of the tools, or `module:name` of it.
        out: a folder that keeps the runs, so that the same experiment is resumed; none by default.
        jobs: processes, for an agent that is given by name.
        view: what is shown on the way; nothing by default.
        more: `runs`, `baseline`, `fail_under`, `seed`, `max_calls`, `timeout`, `time_limit`, `clock` and `settle`,
            which `ExperimentOptions` declares.

    Raises:
        UserError: something that was given cannot be used.
    """
    chosen = read_plan(plan) if isinstance(plan, (str, Path)) else plan
    found = agent_from(agent)
    given = {
        "agent": found.name,
        "plan": "" if chosen is None else chosen.model_dump_json(by_alias=True),  # an edited file: another experiment
        "check": _name_of(check),
        "contracts": tuple(contracts),
        "inputs": distinct(inputs),
    }
    options = options_from(ExperimentOptions, {**given, **more}, typed=False)
    if chosen is None and not options.baseline:
        raise UserError("faults are drawn from the tools of the runs without faults; give a plan, or keep the baseline")
    if chosen is not None and not chosen.rules:
        raise UserError(f"the plan {chosen.name!r} has no rules; give it one, or give no plan")
    player = RunPlayer(
        found,
        options,
        import_callable(check) if isinstance(check, str) and check else check or None,
        [contract_from(text) for text in contracts],
        {spec.name: spec for spec in known_specs(specs)},
    )
    specs_name = "" if specs == () else specs if isinstance(specs, str) else None
    if jobs > 1 and not (isinstance(agent, str) and isinstance(check, (str, type(None))) and specs_name is not None):
        raise UserError("several processes need an agent, a check and specs given as module:name; leave jobs out")
    maker = None if specs_name is None else _Named(options, specs_name)
    shown = view or SilentView()
    code = code_digest(found, player.check)
    with closing(ExperimentFolder(None if out is None else Path(out), options, code, shown.note)) as folder:
        report = ExperimentRunner(player, folder, jobs, shown, maker).report()
        folder.end(report.data())  # not where an exception stopped it: a folder without its end is resumed
    return report


def known_specs(specs: str | Iterable[ToolSpec]) -> list[ToolSpec]:
    """The specs that a user gives or names.

    Raises:
        UserError: something else is among them.
    """
    found = import_object(specs) if isinstance(specs, str) and specs else specs or ()
    kept = list(found) if isinstance(found, Iterable) else [found]
    if not all(isinstance(spec, ToolSpec) for spec in kept):
        raise UserError(f"{specs} holds something other than ToolSpecs; give a list of them")
    return kept


def _name_of(check: str | Check | None) -> str:
    return check if isinstance(check, str) else getattr(check, "__qualname__", type(check).__name__) if check else ""


@dataclass(frozen=True)
class _Named:
    """A player that another process can make, from names."""

    options: ExperimentOptions
    specs: str

    def player(self) -> RunPlayer:
        """Make it."""
        return _player_here(self.options.model_dump_json(), self.specs)


@lru_cache(maxsize=1)
def _player_here(options: str, specs: str) -> RunPlayer:
    read = ExperimentOptions.model_validate_json(options)
    return RunPlayer(
        agent_from(read.agent),
        read,
        import_callable(read.check) if read.check else None,
        [contract_from(text) for text in read.contracts],
        {spec.name: spec for spec in known_specs(specs)},
    )
