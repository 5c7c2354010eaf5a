"""The search: plan after plan until no further failure turns up, each found one shrunk to the smallest.

After a failure is known, plans that contain it do not count any more: those in which all of its faults were delivered,
those that break down or loop on the same line of the agent's code, and those that fail alike under a fault of its
neighbourhood: the other faults that were seen to do the same on its tool, and the other tools on which its fault does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample

from sealegs.faults import seeds
from sealegs.faults.kinds import AnyFault
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.triggers import Tool
from sealegs.faults.user_error import UserError
from sealegs.hunt.fault_sites import FaultSite, SeenTool, assumed_specs, plan_of_rules, rules_on, seen_tools
from sealegs.hunt.space import plans
from sealegs.hunt.trial import HuntTarget, Symptom, Trial

EXAMPLES = 2000  # plans that Hypothesis proposes before a search ends without a find
REPEATS = 3


@dataclass(frozen=True, slots=True)
class HuntLimits:
    """The limits of a hunt.

    Attributes:
        seed: decides every plan that is tried and all that faults draw.
        runs: runs of the agent at most, all together.
        findings: failures after which the hunt ends.
        rules: rules in a plan at most.
        kinds: the kinds of fault that are tried.
    """

    kinds: frozenset[str]
    seed: int = 0
    runs: int = 5000
    findings: int = 10
    rules: int = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """One failure.

    Attributes:
        trial: the run under the smallest plan.
        repeated: how many of `REPEATS` further runs failed in the same way.
        faults: for each rule, other faults that do the same to the agent in place of the rule's.
        others: how many other faults were tried for the first rule; where it is the only one, those that look like data
            as its own does, or errors as its own is.
        tools: other tools on which the plan's fault does the same.
        smallest: whether the plan was shrunk to the end; False where the runs were used up.
        described: whether its neighbours and repetitions were tried; False where the user stopped the hunt before.
        near: for each rule, the weaknesses that are taken for its own, where they lead to the same symptom.
    """

    trial: Trial
    repeated: int = REPEATS
    faults: tuple[tuple[str, ...], ...] = ()
    others: int = 0
    tools: tuple[str, ...] = ()
    smallest: bool = True
    described: bool = True
    near: tuple[frozenset[str], ...] = ()

    @property
    def plan(self) -> Plan:
        """The smallest plan."""
        return self.trial.plan

    @property
    def name(self) -> str:
        """The rules' ids."""
        return " and ".join(rule.id for rule in self.plan.rules)

    @property
    def symptom(self) -> Symptom:
        """The agent's failure under it."""
        assert self.trial.symptom is not None
        return self.trial.symptom


@dataclass(frozen=True, slots=True)
class HuntResult:
    """The result of a hunt.

    Attributes:
        target: the agent, with all that was assumed of its tools.
        findings: the distinct failures, in the order in which they were found.
        tools: the tools that the agent called in any run.
        runs: the number of runs of the agent.
        steady: whether two runs without a fault made the same calls.
        spent: whether the hunt ended because its runs were used up.
        interrupted: whether the user ended it; what was found until then is there.
    """

    target: HuntTarget
    findings: tuple[Finding, ...]
    tools: tuple[str, ...]
    runs: int
    steady: bool
    spent: bool
    interrupted: bool = False


def hunt(
    target: HuntTarget, limits: HuntLimits, on_found: Callable[[Finding], None] = lambda found: None
) -> HuntResult:
    """Look for the plans that make an agent fail. Ctrl-C ends the search, and what was found until then is returned.

    Args:
        target: the agent.
        limits: how far to go.
        on_found: called with each failure when it is found.

    Raises:
        UserError: the agent fails without any fault, or calls no tool.
    """
    # Two runs without a fault, to see whether the agent does the same each time.
    controls = [target.trial(Plan(name="control", seed=limits.seed)) for _ in range(2)]
    _sane(target, controls)
    search = _Search(target, limits, controls)
    findings: list[Finding] = []
    found: Trial | None = None  # and not described yet
    try:
        while len(findings) < limits.findings and not search.interrupted:
            tools = set(search.tools)
            found = search.next(findings)
            if found is not None and not search.interrupted:
                findings.append(search.described(found))
                on_found(findings[-1])
            # A search that brought up new tools has more faults to try, so it is repeated.
            elif search.spent or tools == set(search.tools):
                break
    except KeyboardInterrupt:
        search.interrupted = True
    # Found but not described yet when the user stopped: it still counts.
    if search.interrupted and found is not None and (not findings or findings[-1].trial is not found):
        findings.append(Finding(found, 0, smallest=False, described=False))
        on_found(findings[-1])
    steady = len({tuple((turn.call.tool, str(turn.call.arguments)) for turn in c.record.turns) for c in controls}) == 1
    return HuntResult(
        search.target, tuple(findings), tuple(search.tools), search.runs + 2, steady, search.spent, search.interrupted
    )


def _sane(target: HuntTarget, controls: list[Trial]) -> None:
    for control in controls:
        if control.symptom is not None:
            symptom = control.symptom
            place = f", {symptom.place}" if symptom.place else ""
            if symptom.kind == "crashed" and symptom.text.startswith("SystemExit"):
                raise UserError(
                    f"{target.name} exits without any fault ({symptom.text}{place}); let it return its answer instead"
                )
            raise UserError(
                f"{target.name} fails without any fault ({symptom.kind}: {symptom.text}{place}); "
                "fix that, or its check, first"
            )
        if not control.record.turns:
            raise UserError(
                f"{target.name} calls no tool that a session can see; mark its tools with @sealegs.tool, "
                "or let it take `session` and wrap them"
            )


class _Spent(BaseException):
    """No more runs are left. Not an `Exception`: Hypothesis would take it for a failure and shrink it."""


class _Search:
    """The runs so far, and what they showed."""

    def __init__(self, target: HuntTarget, limits: HuntLimits, controls: list[Trial]) -> None:
        self.limits = limits
        self.tools: dict[str, SeenTool] = seen_tools(control.record for control in controls)
        self.target = target
        self.runs = 0
        self.spent = False
        self.interrupted = False
        self._known = frozenset(target.specs)
        self._trials: dict[str, Trial] = {}
        self._rounds = 0

    def next(self, known: Iterable[Finding]) -> Trial | None:
        """The smallest run that fails and contains no known failure; None where the search finds none."""
        limits, known = self.limits, tuple(known)
        # The last round may have shown more of the tools.
        self._assume()
        on = rules_on(self.tools.values(), self.target.specs, limits.kinds)
        if not on:
            return None
        self._rounds += 1
        failing: list[Trial] = []

        def fails(plan: Plan) -> bool:
            trial = self.trial(plan)
            # Hypothesis has no way to stop early but an exception.
            if trial is None:
                raise _Spent
            if not _new(trial, known):
                return False
            failing.append(trial)
            return True

        try:
            plan = find(
                plans(on, limits.rules, limits.seed),
                fails,
                settings=settings(
                    max_examples=EXAMPLES,
                    # The seed alone decides; plans remembered from other runs would change the search.
                    database=None,
                    deadline=None,
                    derandomize=False,  # Hypothesis's profile for CI would have it otherwise
                    phases=(Phase.generate, Phase.shrink),
                    suppress_health_check=list(HealthCheck),
                ),
                random=seeds.stream(limits.seed, "hunt", self._rounds),
            )
        except NoSuchExample:
            return None
        except (_Spent, KeyboardInterrupt) as end:
            self.interrupted = isinstance(end, KeyboardInterrupt)
            # Shrinking was cut short, so the smallest failure seen so far is taken.
            return min(failing, key=lambda trial: len(trial.plan.rules), default=None)
        # Run already, so this only looks it up.
        return self.trial(plan)

    def _assume(self) -> None:
        """Take what was seen of the tools as known; forget runs that struck a tool of which more is known now."""
        before, now = self.target.specs, assumed_specs(self.tools.values(), self._known)
        self.target = self.target.assuming(now)
        news = {name for name, spec in now.items() if before.get(name) != spec}
        self._trials = {
            key: trial
            for key, trial in self._trials.items()
            if news.isdisjoint(rule_tool(rule) for rule in trial.plan.rules)
        }

    def trial(self, plan: Plan) -> Trial | None:
        """The run under this plan, made once; None where the runs are used up."""
        key = plan.digest()
        if key not in self._trials:
            if self.runs >= self.limits.runs:
                self.spent = True
                return None
            self.runs += 1
            trial = self._trials[key] = self.target.trial(plan)
            for name, tool in seen_tools([trial.record]).items():
                # A tool first seen failing gets its answers from a later run.
                if name not in self.tools or (tool.answers and not self.tools[name].answers):
                    self.tools[name] = tool
        return self._trials[key]

    def described(self, trial: Trial) -> Finding:
        """The finding with its neighbours: what else does the same, and how surely it does so."""
        # Past the memory of `trial`: a repetition has to be a new run.
        again = [self.target.trial(trial.plan) for _ in range(REPEATS)]
        self.runs += REPEATS
        finding = Finding(trial, sum(_same(other, trial) for other in again), smallest=not self.spent)
        # Neighbours are looked for around each rule by itself, with the other rules as they are.
        rules = [fault_site_of(rule) for rule in trial.plan.rules]
        on = rules_on(self.tools.values(), self.target.specs, self.limits.kinds)
        # With one rule, neighbours along both axes are tried; with several that would be too many runs.
        here = [_others(rule, on, axis=len(rules) == 1) for rule in rules]
        alike = [[one for one in here[i] if self._does(trial, i, one)] for i in range(len(rules))]
        elsewhen = [
            [one for one in on if _elsewhen(one, rule) and self._does(trial, i, one)] for i, rule in enumerate(rules)
        ]
        tools: list[str] = []
        if len(rules) == 1:
            tools = [one.tool for one in on if _elsewhere(one, rules[0]) and self._does(trial, 0, one)]
        return replace(
            finding,
            faults=tuple(tuple(_named(one.fault) for one in found) for found in alike),
            others=len(here[0]),
            tools=tuple(tools),
            near=tuple(
                frozenset(
                    replace(one, tool=tool).at(moment).weakness
                    for tool in (rule.tool, *tools)
                    for one in (rule, *found)
                    for moment in (rule.moment, *(other.moment for other in times))
                )
                for rule, found, times in zip(rules, alike, elsewhen, strict=True)
            ),
        )

    def _does(self, trial: Trial, index: int, on: FaultSite) -> bool:
        """Return whether the plan does the same with this in place of one of its rules."""
        rules = [(fault_site_of(rule), rule.when) for rule in trial.plan.rules]
        rules[index] = (on, rules[index][1])
        other = self.trial(plan_of_rules(rules, self.limits.seed))
        return other is not None and _same(other, trial)


def _others(rule: FaultSite, on: Sequence[FaultSite], axis: bool) -> list[FaultSite]:
    """Other faults on a rule's tool, at its moment where they are tried then.

    With `axis`, only explicit ones for an explicit one, or implicit ones.
    """
    there = [one for one in on if one.tool == rule.tool and one.fault != rule.fault]
    then = {one.fault for one in there if one.moment == rule.moment}
    timed = [one for one in there if one.moment == rule.moment or (one.simplest and one.fault not in then)]
    return [one for one in timed if not axis or one.fault.implicit == rule.fault.implicit]


def _elsewhere(one: FaultSite, rule: FaultSite) -> bool:
    """Return whether one is the other on a different tool; without effects, every moment is the simplest."""
    at_once = one.simplest and rule.simplest and None in (one.moment, rule.moment)
    return one.tool != rule.tool and one.fault == rule.fault and (one.moment == rule.moment or at_once)


def _elsewhen(one: FaultSite, rule: FaultSite) -> bool:
    """Return whether one is the other at another moment."""
    return one.moment != rule.moment and one == replace(rule, moment=one.moment)


def _new(trial: Trial, known: Iterable[Finding]) -> bool:
    """Return whether the run fails, for a fault's sake, in a way that no known finding explains."""
    if trial.symptom is None or not trial.record.exposed:
        return False
    # Only what was delivered can have caused the failure; rules that came to nothing explain none.
    delivered = {injection.rule for turn in trial.record.turns for injection in turn.injections if injection.delivered}
    weak = {fault_site_of(rule).weakness for rule in trial.plan.rules if rule.id in delivered}
    return not any(
        {rule.id for rule in finding.plan.rules} <= delivered
        or _same_line(trial.symptom, finding.symptom)
        or (not any(near.isdisjoint(weak) for near in finding.near) and _same(trial, finding.trial))
        for finding in known
    )


def _same_line(one: Symptom, other: Symptom) -> bool:
    """Return whether both broke down or looped forever at one line. For a failed check the line says nothing."""
    return one.kind == other.kind != "wrong" and one.place == other.place != ""


def _same(one: Trial, other: Trial) -> bool:
    """Return whether both failed in the same way."""
    if one.symptom is None or other.symptom is None:
        return False
    return (one.symptom.kind, one.symptom.place) == (other.symptom.kind, other.symptom.place)


def fault_site_of(rule: Rule) -> FaultSite:
    """The site of a rule that the search made, without its trigger."""
    return FaultSite(rule_tool(rule), rule.fault, rule.moment)


def rule_tool(rule: Rule) -> str:
    """The tool of a rule that the search made."""
    assert isinstance(rule.match, Tool)
    return rule.match.tool


def _named(fault: AnyFault) -> str:
    settings = fault.model_dump(exclude_defaults=True)
    return " ".join([fault.kind, *(str(value) for name, value in settings.items() if name != "kind")])
