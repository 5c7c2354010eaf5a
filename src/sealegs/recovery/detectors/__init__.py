"""Detectors for answers that are wrong without saying so: a tool's normal answers learned from its record.

`learn` makes `Profiles` of recorded episodes, `Profiles.detector` a detector for the recovery layer. Statements about a
tool's answers are mined (`mining`), how often right answers break such statements is counted on answers held out
(`calibration`), and one threshold for all is set to a wanted share of false alarms.
"""

from sealegs.recovery.detectors.detector import BrokenStatement, LearnedDetector
from sealegs.recovery.detectors.profiles import Profile, Profiles, learn, read_profiles

__all__ = ["BrokenStatement", "LearnedDetector", "Profile", "Profiles", "learn", "read_profiles"]
