"""Policies for a failed call: one file for each."""

from sealegs.recovery.policies.advise import Advice, Advise, Adviser
from sealegs.recovery.policies.alternative import (
    Alternative,
    AlternativeStep,
    CallArgument,
    EarlierAnswer,
    EarlierArgument,
    FirstKnown,
    Fixed,
    ReferenceTicket,
    StepField,
    Then,
)
from sealegs.recovery.policies.breaker import Breaker
from sealegs.recovery.policies.mend_arguments import MendArguments
from sealegs.recovery.policies.parse import Parse
from sealegs.recovery.policies.policy import Policy
from sealegs.recovery.policies.read_on import ReadOn
from sealegs.recovery.policies.retry import Retry
from sealegs.recovery.policies.stop import Stop
from sealegs.recovery.policies.switch import Switch
from sealegs.recovery.policies.verify import Verify

__all__ = [
    "Advice",
    "Advise",
    "Adviser",
    "Alternative",
    "AlternativeStep",
    "Breaker",
    "CallArgument",
    "EarlierAnswer",
    "EarlierArgument",
    "FirstKnown",
    "Fixed",
    "MendArguments",
    "Parse",
    "Policy",
    "ReadOn",
    "ReferenceTicket",
    "Retry",
    "StepField",
    "Stop",
    "Switch",
    "Then",
    "Verify",
]
