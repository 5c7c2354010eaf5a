"""Entrants of a campaign in a ranking: each of its models."""

from __future__ import annotations

from pathlib import Path

from sealegs.scoring.entrants import Entrant, Scores, task_set_mark
from sealegs.scoring.invalid import PlayedCell
from sealegs.scoring.micro_metrics import DESIGN, METRICS, SCRIPTED, LabelledRun
from sealegs.suites.entrant_reading import use_of
from sealegs.suites.micro.campaign.campaign_results import CampaignResults, read_folder
from sealegs.suites.micro.campaign.labelling import RunJudge
from sealegs.tasks.editions import TASK_SET

SUITE = "micro"
SCORES = Scores(
    DESIGN,
    METRICS,
    level=lambda run: run.level,
    mode=lambda run: f"{run.fault} at {run.place}" if run.place else run.fault,
    epoch=lambda run: run.repetition,
    less_is_better=frozenset({"hr", "tr", "cr", "er"}),
)


def campaign_entrants(path: Path, label: RunJudge) -> list[Entrant]:
    """The entrants of a campaign's folder.

    Args:
        path: of the folder.
        label: gives each run its outcome.

    Raises:
        UserError: it holds no campaign, or its labels are wrong.
    """
    found = read_folder(path, label=label)
    models = dict.fromkeys(run.model for run in found.runs)
    return [_entrant(path, found, model, [run for run in found.runs if run.model == model]) for model in models]


def _name(run: LabelledRun) -> str:
    """The name of a run without that of its model."""
    return "/".join(map(str, (run.task, run.level, run.fault, run.place, run.seed, run.repetition)))


def _entrant(path: Path, found: CampaignResults, model: str, runs: list[LabelledRun]) -> Entrant:
    settings = found.request.settings
    contents = [(run.task, (run.level, run.fault, run.place, run.seed)) for run in runs]
    played = [PlayedCell(run.level, run.fault, run.task, run.invalid) for run in runs]
    return Entrant(
        SUITE,
        model,
        model.startswith(SCRIPTED),
        str(path),
        SCORES,
        [SCORES.compared(_name(run), run) for run in runs if not run.invalid],
        task_set_mark(str(settings.version), contents),
        {"budget": f"{settings.budget:g} s", TASK_SET: settings.task_set},
        use_of(played, {"suite": SUITE, "model": model}),
        found.notes,
    )
