"""The form of a policy, and how policies compose.

A policy is given a failed call and hands it on, repaired or unchanged. `first | then` asks the second about what the
first did not repair; `policy.only(categories=..., tools=...)` keeps to some failures. A policy does no I/O: it yields
calls and waits, as every layer does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from fnmatch import fnmatchcase
from typing import ClassVar

from sealegs.faults.call import Call, Failure, Outcome
from sealegs.recovery.failed_call import FailedCall, RecoveryContext, Steps, warn
from sealegs.recovery.failure_category import FailureCategory

Refusal = tuple[str, Outcome]  # the policy's name, and what the call is answered with
TAKEN_OVER = "TakenOver"  # the type of the failure by which a policy that acts for a tool keeps a call from it


class Policy(ABC):
    """A way to handle a failed call.

    Attributes:
        name: as it appears in records.
        guards: whether `refuses` is to be called before each call.
        remembers: the fields (dotted paths) that it wants of tools' latest right answers, by tool; see
            `RecoveryContext.memory`.
    """

    name: ClassVar[str] = ""
    guards: bool = False

    @property
    def remembers(self) -> Mapping[str, frozenset[str]]:
        """The memory of the policy: none by default."""
        return {}

    @abstractmethod
    def handle(self, failed_call: FailedCall, context: RecoveryContext) -> Steps:
        """Do something about it, or hand it on as it is."""

    def refuses(self, call: Call, context: RecoveryContext) -> Refusal | None:
        """The policy that refuses a call, and the answer in its place; None where the call may be made."""
        return None

    def went_well(self, call: Call, outcome: Outcome) -> None:
        """Note that the agent's call was answered well by its own tool. Policies that guard are notified."""
        return

    def ended(self, call: Call, *, in_doubt: bool) -> None:
        """Note that the agent's call ended without that: it failed, or another tool helped. Guards are notified.

        `in_doubt`: the call's own tool may have acted.
        """
        return

    def left(self, call: Call) -> None:
        """Note that the caller left, such as by cancelling, before the call had an outcome. Guards are notified."""
        return

    def fresh(self) -> Policy:
        """The policy for a new episode; one that remembers is replaced by one with nothing to remember."""
        return self

    def shared(self, now: Callable[[], float]) -> Policy:
        """The policy for a service: what it knows of tools is common to all sessions, by this clock.

        Its `fresh` is called for each of them. By default nothing is common.
        """
        return self

    def __or__(self, then: Policy) -> Policy:
        """Both, one after the other."""
        return PolicySequence((*_parts(self), *_parts(then)))

    def only(self, *, categories: Collection[FailureCategory] = (), tools: Collection[str] = ()) -> Policy:
        """The policy for these failures alone; empty means all of them. `tools` may hold `*` and `?`."""
        return Only(self, frozenset(categories), tuple(tools))


def run_guarded(policy: Policy, failed_call: FailedCall, context: RecoveryContext) -> Steps:
    """Run the policy; where it breaks down, keep what it had done so far. A tool's failure is not an exception here."""
    try:
        return (yield from policy.handle(failed_call, context))
    except Exception as error:  # others make policies, and the schemas that ours read
        warn(f"the recovery policy {policy.name!r}", failed_call.call, error)
        return context.latest(failed_call)


class AtOnce(Policy):
    """A policy that makes no calls and waits for nothing."""

    def handle(self, failed_call: FailedCall, context: RecoveryContext) -> Steps:
        """Handle it without a call."""
        yield from ()
        return self.handle_now(failed_call, context)

    @abstractmethod
    def handle_now(self, failed_call: FailedCall, context: RecoveryContext) -> FailedCall:
        """Do something about it here and now, or hand it on as it is."""


class PolicySequence(Policy):
    """Policies one after the other, until one has repaired the call."""

    name = "sequence"

    def __init__(self, policies: tuple[Policy, ...]) -> None:
        self.policies = policies
        guarding = [policy for policy in policies if policy.guards]
        self.guards = bool(guarding)
        self._refuses = tuple(policy.refuses for policy in guarding)  # both are called on each call
        self._went_well = tuple(policy.went_well for policy in guarding)
        self._guarding = tuple(guarding)

    def handle(self, failed_call: FailedCall, context: RecoveryContext) -> Steps:
        """Ask each in turn."""
        for policy in self.policies:
            if failed_call.over:
                break
            if _kept_back(failed_call) and not policy.guards:
                continue  # the tool is not to be called, in any form
            failed_call = yield from run_guarded(policy, failed_call, context)
        return failed_call

    @property
    def remembers(self) -> Mapping[str, frozenset[str]]:
        """The fields that any of them wants, by tool."""
        found: dict[str, frozenset[str]] = {}
        for policy in self.policies:
            for tool, fields in policy.remembers.items():
                found[tool] = found.get(tool, frozenset()) | fields
        return found

    def refuses(self, call: Call, context: RecoveryContext) -> Refusal | None:
        """The first refusal."""
        for refuses in self._refuses:
            refusal = refuses(call, context)
            if refusal is not None:
                return refusal
        return None

    def went_well(self, call: Call, outcome: Outcome) -> None:
        """Tell those that guard."""
        for went_well in self._went_well:
            went_well(call, outcome)

    def ended(self, call: Call, *, in_doubt: bool) -> None:
        """Tell those that guard."""
        for policy in self._guarding:
            policy.ended(call, in_doubt=in_doubt)

    def left(self, call: Call) -> None:
        """Tell those that guard."""
        for policy in self._guarding:
            policy.left(call)

    def fresh(self) -> Policy:
        """Each of them fresh."""
        return PolicySequence(tuple(policy.fresh() for policy in self.policies))

    def shared(self, now: Callable[[], float]) -> Policy:
        """Each of them shared."""
        return PolicySequence(tuple(policy.shared(now) for policy in self.policies))


class Only(Policy):
    """A policy for some failures."""

    name = "only"

    def __init__(self, policy: Policy, categories: frozenset[FailureCategory], tools: tuple[str, ...]) -> None:
        self._policy = policy
        self._categories = categories
        self._tools = tools
        self.guards = policy.guards

    def handle(self, failed_call: FailedCall, context: RecoveryContext) -> Steps:
        """Ask it where it is meant."""
        if (self._categories and failed_call.category not in self._categories) or not self._meant(failed_call.call):
            return failed_call
        return (yield from self._policy.handle(failed_call, context))

    @property
    def remembers(self) -> Mapping[str, frozenset[str]]:
        """The fields that it wants, by tool."""
        return self._policy.remembers

    def refuses(self, call: Call, context: RecoveryContext) -> Refusal | None:
        """Its refusal, of tools that it is meant for."""
        return self._policy.refuses(call, context) if self._meant(call) else None

    def went_well(self, call: Call, outcome: Outcome) -> None:
        """Tell it, of tools that it is meant for."""
        if self._meant(call):
            self._policy.went_well(call, outcome)

    def ended(self, call: Call, *, in_doubt: bool) -> None:
        """Tell it, of tools that it is meant for."""
        if self._meant(call):
            self._policy.ended(call, in_doubt=in_doubt)

    def left(self, call: Call) -> None:
        """Tell it, of tools that it is meant for."""
        if self._meant(call):
            self._policy.left(call)

    def fresh(self) -> Policy:
        """The same with a fresh policy."""
        return Only(self._policy.fresh(), self._categories, self._tools)

    def shared(self, now: Callable[[], float]) -> Policy:
        """The same with a shared policy."""
        return Only(self._policy.shared(now), self._categories, self._tools)

    def _meant(self, call: Call) -> bool:
        return not self._tools or any(fnmatchcase(call.tool, pattern) for pattern in self._tools)


def _kept_back(failed_call: FailedCall) -> bool:
    return isinstance(failed_call.outcome, Failure) and failed_call.outcome.type == TAKEN_OVER


def _parts(policy: Policy) -> tuple[Policy, ...]:
    return policy.policies if isinstance(policy, PolicySequence) else (policy,)
