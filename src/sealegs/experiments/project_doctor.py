"""All that `sealegs doctor` looks at: the seam in a project, by one run, and the place around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sealegs.experiments.experiment_options import read_inputs
from sealegs.experiments.project_checks import DoctorLine, framework_lines, place_lines
from sealegs.experiments.project_files import GLUE
from sealegs.experiments.project_proof import SeamProof, prove_seam, seam_lines
from sealegs.experiments.project_scan import scan_project
from sealegs.experiments.project_settings import read_settings
from sealegs.faults.user_error import UserError


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """The findings of the doctor.

    Attributes:
        proof: what the run showed.
        lines: everything, in the order in which it is printed.
    """

    proof: SeamProof
    lines: tuple[DoctorLine, ...]

    @property
    def exit_code(self) -> int:
        """0 if the seam is live and nothing fails; else 1."""
        return int(any(line.status == "fail" for line in self.lines))

    def data(self) -> dict[str, Any]:
        """The report as JSON."""
        tools = [asdict(tool) for tool in self.proof.tools]
        lines = [asdict(line) for line in self.lines]
        return {"agent": self.proof.agent, "live": self.proof.live, "tools": tools, "lines": lines}


def examine_project(
    folder: Path, agent: str | None, inputs: Sequence[str] = (), specs: str = "", **more: Any
) -> DoctorReport:
    """Run the agent once and look at the place.

    Args:
        folder: the project's folder, which is the current one.
        agent: the agent; None for the one of `sealegs test` in `pyproject.toml`, or that of `sealegs init`.
        inputs: its inputs; by default those of `sealegs test` there.
        specs: what is known of the tools, as `module:name`.
        more: see `prove_seam`.

    Raises:
        UserError: there is no agent, or it cannot be run at all.
    """
    project = scan_project(folder)
    table = read_settings(folder).get("test")
    test: dict[str, Any] = table if isinstance(table, dict) else {}
    named = agent or test.get("agent") or (f"{GLUE.removesuffix('.py')}:run" if (folder / GLUE).is_file() else "")
    if not named:
        raise UserError(
            "no agent is named; give one, such as my_agent:run, or let `sealegs init` write sealegs_agent.py"
        )
    used_inputs = inputs or (_inputs_of(test) if named == test.get("agent") else [])
    try:
        proof = prove_seam(str(named), project, used_inputs, specs, **more)
    except UserError as error:
        missing = [f"{line.message}: {line.remedy}" for line in framework_lines(project) if line.status != "ok"]
        raise UserError("; ".join([str(error), *missing])) from error
    return DoctorReport(proof, (*seam_lines(proof, project), *place_lines(project)))


def _inputs_of(test: Mapping[str, Any]) -> list[str]:
    """The inputs that the table of `sealegs test` has for the agent."""
    found = test.get("input", [])
    if not found and isinstance(test.get("inputs"), str):
        return list(read_inputs(Path(test["inputs"])))
    return [found] if isinstance(found, str) else [str(one) for one in found]
