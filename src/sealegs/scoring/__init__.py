"""Scores, computed by code from records: verdicts, what went wrong, rates with intervals."""

from sealegs.scoring.attribution import TERMS
from sealegs.scoring.case import Case, Slot
from sealegs.scoring.judge import Verdict, judge, says_stop

__all__ = ["TERMS", "Case", "Slot", "Verdict", "judge", "says_stop"]
