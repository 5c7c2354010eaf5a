"""Scores, computed by code from records: verdicts, what went wrong, rates with intervals."""

from sealegs.scoring.attribution import TERMS
from sealegs.scoring.case import Case, Slot
from sealegs.scoring.episode_verdict import Verdict
from sealegs.scoring.judge import judge
from sealegs.scoring.stop_language import says_stop

__all__ = ["TERMS", "Case", "Slot", "Verdict", "judge", "says_stop"]
