"""Names that a campaign file may hold, and the runs and time that a sound one takes."""

from __future__ import annotations

from dataclasses import dataclass

from sealegs.faults.user_error import UserError
from sealegs.scoring.metric import Row
from sealegs.suites.micro.agent import model_mistake
from sealegs.suites.micro.campaign.campaign_parser import CampaignVocabulary, campaign_from
from sealegs.suites.micro.campaign.runs import Campaign
from sealegs.suites.micro.campaign.shipped import campaign_text
from sealegs.suites.micro.workloads.workload import RESEARCH, load_workloads


def vocabulary() -> CampaignVocabulary:
    """The workloads and models that there are."""
    loaded = load_workloads()
    paired = frozenset(name for name, one in loaded.items() if one.paired)
    tools = {name: (*one.tools, *((RESEARCH,) if one.paired else ())) for name, one in loaded.items()}
    return CampaignVocabulary(tools, paired, model_mistake)


def read_campaign(text: str, model: str, source: str) -> Campaign:
    """The campaign of a text, with one model in place of all where one is given.

    Raises:
        CampaignError: it describes none. The message holds every mistake.
    """
    words = vocabulary()
    wrong = words.model(model) if model else ""
    if wrong:
        raise UserError(f"--model {model!r} {wrong}")
    campaign = campaign_from(text, words, source)
    return campaign.under(model) if model else campaign


@dataclass(frozen=True, slots=True)
class CheckedCampaign:
    """A sound file, and what it would take."""

    source: str
    campaign: Campaign
    jobs: int
    budget: float

    @property
    def worst(self) -> float:
        """Seconds that it takes if every run uses its whole budget."""
        runs = len(self.campaign.runs())
        return -(-runs // self.jobs) * self.budget

    @property
    def hanging(self) -> int:
        """Runs whose fault does not end by itself."""
        return sum(run.experiment.fault == "hang" for run in self.campaign.planned())

    def lines(self) -> list[str]:
        """The findings for people."""
        planned, clean = len(self.campaign.planned()), len(self.campaign.baselines())
        kinds = len(self.campaign.experiments)
        hangs = format_duration(-(-self.hanging // self.jobs) * self.budget)
        longest = format_duration(self.worst)
        return [
            f"{self.source}: sound, {kinds} experiments, {planned} runs, and {clean} runs without a fault beside them",
            f"at most {longest}: {planned + clean} runs of {self.budget:g} s, {self.jobs} at a time;"
            f" {self.hanging} of them hang, which alone may take {hangs}",
        ]

    def rows(self) -> list[Row]:
        """The findings for programs; `n` is the number of runs that a figure is of."""
        planned, clean = len(self.campaign.planned()), len(self.campaign.baselines())
        who: Row = {"suite": "micro", "agent": self.source, "level": "all", "mode": "all"}
        found = (
            ("experiments", len(self.campaign.experiments), planned),
            ("runs", planned, planned),
            ("baselines", clean, clean),
            ("worst_seconds", self.worst, planned + clean),
        )
        return [{**who, "metric": name, "value": value, "low": None, "high": None, "n": n} for name, value, n in found]


def check_campaign(file: str, model: str, *, jobs: int, budget: float) -> CheckedCampaign:
    """Look at a campaign file.

    Raises:
        UserError: it cannot be read, or it is not a campaign; the message holds every mistake.
    """
    name, text = campaign_text(file)
    return CheckedCampaign(name, read_campaign(text, model, file), jobs, budget)


def format_duration(seconds: float) -> str:
    """A span of time as people say it."""
    whole = round(seconds)
    hours, minutes = whole // 3600, whole % 3600 // 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {whole % 60} s" if minutes else f"{whole} s"
