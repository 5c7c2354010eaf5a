"""A plan: rules that say which calls are struck by which fault. It is data that can be read, compared and hashed.

Reading files and reporting mistakes is the work of `plan_files`, carrying a plan out that of the injector.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, Strict, field_validator, model_validator
from pydantic_core import PydanticCustomError

from sealegs.faults.any_fault import AnyFault
from sealegs.faults.call import Moment
from sealegs.faults.fault import Count, Text, problem
from sealegs.faults.keyed import STRICT
from sealegs.faults.problems import Problem, abbreviate
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import Always, AnyCondition, AnyMatcher

TANGLED = "tangled"  # the error type of mistakes that several rules make together


def _without_default(schema: dict[str, Any]) -> None:
    del schema["default"]


class Rule(BaseModel):
    """One kind of fault on some calls.

    Where several rules strike one call, the first of the plan is the outermost: it has the last word.
    """

    model_config = ConfigDict(**STRICT, frozen=True)
    id: Text = Field(
        default="",
        description="The rule's name in records; else `rule-1`, `rule-2`, ... by its place.",
        json_schema_extra=_without_default,
    )
    match: AnyMatcher = Field(
        description="Which calls it may strike: tool, tag, model, argument, method, header, all, any or not."
    )
    when: AnyCondition = Field(
        default=Always(),
        description="Which of these it strikes; `always` unless given.",
        json_schema_extra={"default": Always.key},
    )
    fault: AnyFault = Field(description="What the agent then sees: a kind and its parameters.")
    persistence: Literal["transient", "permanent"] = Field(
        default="transient",
        description="transient: only these calls; permanent: once it has struck, every later call of that tool too.",
    )
    moment: Moment | None = Field(
        default=None,
        description="before: the tool did nothing; after: it did its work and the answer is lost or wrong; during: it "
        "did a part. Drawn where it is left open; a tool known to have no effects has none.",
    )
    at_most: Count | None = Field(default=None, description="How many times it strikes each tool in an episode.")
    after: Text | None = Field(
        default=None, description="Id of another rule, whose fault must have been delivered before in the episode."
    )
    key: Literal["arguments", "order"] | None = Field(
        default=None,
        description="What a call is known by, where the rule draws or counts. arguments: its arguments, and how often "
        "they came before; order: its number among the tool's calls. Unless given, it is known by arguments where the "
        "rule draws, and by order where it counts.",
    )

    @model_validator(mode="after")
    def _at_a_moment_of_its_kind(self) -> Self:
        moments = self.fault.moments
        if self.moment is not None and self.moment not in moments:
            wrong = f"has moment {self.moment!r}, at which {self.fault.kind!r} cannot strike"
            raise problem(wrong, f"Give {' or '.join(moments)}, or leave it out.")
        return self

    @property
    def fires_by_arguments(self) -> bool:
        """Whether `when` is decided by a call's arguments and how often they came, not by its place among the calls."""
        return self.key == "arguments" or (self.key is None and self.when.drawn)

    @property
    def draws_by_arguments(self) -> bool:
        """Whether what the fault draws, its moment too, is decided so."""
        return self.key != "order"

    def possible_moments(self, spec: ToolSpec | None) -> tuple[Moment, ...]:
        """The moments at which it may strike this tool; none where the tool has no effects or too few for a part."""
        if spec is not None and spec.effects is False:
            return ()
        parts = spec.parts if spec is not None else 1
        given = self.fault.moments if self.moment is None else (self.moment,)
        return tuple(moment for moment in given if moment != "during" or parts > 1)

    def misses(self, spec: ToolSpec | None) -> bool:
        """Return whether it can never strike this tool: it leaves out a part of the work, and the work has one part."""
        return self.moment == "during" and not self.possible_moments(spec)

    def why_never(self, spec: ToolSpec | None, dry: bool | None = None) -> str:
        """The reason, in a clause, why its fault can never be delivered on a tool that it matches; empty where it can.

        Args:
            spec: the tool, as far as it is known.
            dry: whether the tool can be run without its effect; None where that is not known.
        """
        if self.misses(spec):
            return "it strikes during the work, and the tool's work has no parts (ToolSpec.parts)"
        return self.fault.misfit(spec, dry)


class Plan(BaseModel):
    """Rules under one name and seed.

    Equal plans with equal seeds decide alike about equal calls, whatever else happens.
    """

    model_config = ConfigDict(**STRICT, frozen=True)
    version: Literal[1] = Field(default=1, description="Version of the plan format.")
    name: Text = Field(description="The plan's name in records and reports.")
    seed: Annotated[int, Strict()] = Field(default=0, description="Part of the key of every random decision.")
    rules: tuple[Rule, ...] = Field(default=(), description="The rules, the outermost first.")

    @field_validator("rules")
    @classmethod
    def _named_and_untangled(cls, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
        named = tuple(
            rule if rule.id else rule.model_copy(update={"id": automatic_id(index)}) for index, rule in enumerate(rules)
        )
        problems = rule_conflicts([(rule.id, rule.after) for rule in named])
        if problems:
            raise PydanticCustomError(TANGLED, "{problems}", {"problems": "\n".join(map(str, problems))})
        return named

    def as_data(self) -> dict[str, Any]:
        """The plan as JSON data, without what is as by default."""
        written = self.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        return {"version": self.version, **written}

    def digest(self) -> str:
        """SHA-256 of the plan's canonical JSON, in hexadecimal: equal for equal plans, however they were written."""
        written = self.as_data().get("rules", ())
        return self.digest_of([canonical_rule(rule, data) for rule, data in zip(self.rules, written, strict=True)])

    def digest_of(self, rules: Sequence[str]) -> str:
        """The digest, put together of the canonical JSON of each rule (`canonical_rule`)."""
        data = self.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={"rules"})
        texts = {name: _canonical(value) for name, value in {"version": self.version, **data}.items()}
        if rules:
            texts["rules"] = f"[{','.join(rules)}]"
        text = ",".join([f'"{name}":{texts[name]}' for name in sorted(texts)])
        return hashlib.sha256(f"{{{text}}}".encode()).hexdigest()

    def to_yaml(self) -> str:
        """The plan as YAML, which reads back as an equal plan."""
        import yaml

        data = self.as_data()
        # YAML takes these for line ends; only the escaped form brings them back.
        escaped = any(mark in json.dumps(data, ensure_ascii=False) for mark in "\x85\u2028\u2029\ufeff")
        return yaml.safe_dump(data, sort_keys=False, allow_unicode=not escaped, width=110)


def canonical_rule(rule: Rule, data: Mapping[str, Any]) -> str:
    """The canonical JSON of a rule that is written as this data, for the digest of a plan.

    A rule is meant by order where its JSON names no key, as all were before there was a choice: what was recorded under
    such a plan still bears its digest.
    """
    named = {name: value for name, value in data.items() if name != "key"}
    return _canonical(named if rule.key == "order" else {**named, "key": rule.key})


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def automatic_id(index: int) -> str:
    """The id of a rule that was given none."""
    return f"rule-{index + 1}"


def rule_conflicts(rules: Sequence[tuple[str, str | None]]) -> list[Problem]:
    """Conflicts between rules, each given as its id and the id that it comes after."""
    return [*_doubles([id for id, _ in rules]), *_strangers(rules), *_circles(rules)]


def unmatched(plan: Plan, specs: Iterable[ToolSpec]) -> list[str]:
    """The ids of the rules that can strike none of these tools."""
    tools = tuple(specs)

    def idle(rule: Rule) -> bool:
        there = [tool for tool in tools if not rule.when.group or tool.name in rule.when.group]
        return not any(rule.match.may_match(tool.name, tool.tags) and not rule.misses(tool) for tool in there)

    return [rule.id for rule in plan.rules if idle(rule)]


def plan_schema() -> dict[str, Any]:
    """The JSON Schema of a plan, for editors (draft 2020-12)."""
    schema = _plain(Plan.model_json_schema())
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Sealegs fault plan", **schema}


def _doubles(ids: list[str]) -> list[Problem]:
    first = {id: index for index, id in reversed(list(enumerate(ids)))}
    remedy = "Give each its own id; a rule without one is called by its place, rule-1 and so on."
    return [
        Problem(f"rules[{index}].id", abbreviate(id), f"is also the id of rules[{first[id]}]", remedy)
        for index, id in enumerate(ids)
        if first[id] != index
    ]


def _strangers(rules: Sequence[tuple[str, str | None]]) -> list[Problem]:
    ids = list(dict.fromkeys(id for id, _ in rules))
    found = []
    for index, (id, after) in enumerate(rules):
        if after is not None and after not in ids:
            near = difflib.get_close_matches(after, [other for other in ids if other != id], n=1)
            remedy = f"Did you mean {near[0]}?" if near else f"Give one of {', '.join(ids)}."
            found.append(Problem(f"rules[{index}].after", abbreviate(after), "is the id of no rule", remedy))
    return found


def _circles(rules: Sequence[tuple[str, str | None]]) -> list[Problem]:
    before = dict(reversed(rules))
    seen: set[str] = set()  # over all starts, so that each circle is reported once
    found = []
    for id, _ in rules:
        trail: list[str] = []
        here: str | None = id
        while here is not None and here in before and here not in seen:
            seen.add(here)
            trail.append(here)
            here = before[here]
        if here in trail:
            circle = " after ".join([*trail[trail.index(here) :], here])
            wrong = f"closes a circle ({circle}), so that none of them could ever strike"
            place = next(i for i, (other, _) in enumerate(rules) if other == here)
            found.append(Problem(f"rules[{place}].after", abbreviate(before[here]), wrong, "Remove one `after` of it."))
    return found


def _plain(schema: Any) -> Any:
    """A schema without titles that repeat the names, and without `discriminator`, which is no JSON Schema keyword."""
    if isinstance(schema, dict):
        kept = {key: item for key, item in schema.items() if not (key == "title" and isinstance(item, str))}
        return {key: _plain(item) for key, item in kept.items() if key != "discriminator"}
    return [_plain(item) for item in schema] if isinstance(schema, list) else schema
