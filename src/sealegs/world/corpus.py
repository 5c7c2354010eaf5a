"""All tools and alternative groups, and the running of a call.

History tools stand apart (`histories`): they run like the others, and no figure of the corpus counts them.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module, resources
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, TypeVar

from sealegs.faults.call import Call, Failure, Outcome, Value, no_such_tool
from sealegs.faults.naming import describe_import_error
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.tasks.pattern import Pattern
from sealegs.world.acting import run_action
from sealegs.world.group_parser import parse_groups
from sealegs.world.known_answers import READS, KnownAnswers
from sealegs.world.state import World
from sealegs.world.tool import DOMAINS, GROUPS, Overlap, Refusal, SimulatedTool

T = TypeVar("T")


@dataclass(frozen=True)
class Corpus:
    """Tools and alternative groups by name, the overlaps between tools that make no group, and the history tools.

    `known`: answers of its reads that were given before; None where nobody vouches that a read says the same again.
    """

    tools: Mapping[str, SimulatedTool]
    groups: Mapping[str, Pattern]
    overlaps: tuple[Overlap, ...] = ()
    histories: Mapping[str, SimulatedTool] = field(default_factory=dict)
    known: KnownAnswers | None = field(default=None, repr=False, compare=False)
    _answered: dict[str, tuple[Any, ...]] = field(default_factory=dict, repr=False, compare=False)

    def spec(self, name: str) -> ToolSpec:
        """The named tool, which may be a history tool, as the other rooms see it."""
        return (self.tools.get(name) or self.histories[name]).spec

    def history_of(self, name: str) -> SimulatedTool | None:
        """The history tool that shows what calls of the named tool did; None where there is none."""
        tool = self.tools.get(name)
        return self.histories.get(tool.shown_by) if tool is not None else None

    def answered_examples(self, name: str) -> tuple[Any, ...]:
        """The named tool's answers to its documented examples, each in a fresh world."""
        if name not in self._answered:
            runs = (self.run(Call(name, example, dry=True), World()) for example in self.tools[name].examples)
            self._answered[name] = tuple(outcome.value for outcome in runs if isinstance(outcome, Value))
        return self._answered[name]

    def kin(self, names: Iterable[str]) -> frozenset[str]:
        """The named tools and every tool that stands in a group or an overlap with one of them."""
        named = frozenset(names)
        return named.union(*(circle for circle in self._circles if circle & named))

    @cached_property
    def _circles(self) -> tuple[frozenset[str], ...]:
        """The tools of each group, and those of each overlap."""
        return (*(frozenset(group.tools) for group in self.groups.values()), *(each.tools for each in self.overlaps))

    def run(self, call: Call, world: World) -> Outcome:
        """Run one call in the world. A dry call answers the same and changes nothing; one that is cut does a part.

        A call of an action that is carried out is entered into the world's journal. An unknown tool, bad arguments and
        a refusal come back as a `Failure`; nothing is raised.
        """
        tool = self.tools.get(call.tool) or self.histories.get(call.tool)
        if tool is None:
            return no_such_tool(call)
        known = self.known if tool.category in READS else None
        if known is not None and (answer := known.known(tool, call.arguments, world)) is not None:
            return Value(answer)
        arguments = tool.arguments(call.arguments)
        if isinstance(arguments, Failure):
            return arguments
        place = world.fork() if call.dry else world
        place.during(call.id)
        try:
            if tool.category == "action":
                return run_action(tool, call, arguments, place)
            if known is not None:
                return Value(known.work_out(tool, call.arguments, arguments, place))
            return Value(tool.run(place, **arguments))
        except Refusal as refusal:
            return refusal.failure


@cache
def load_corpus() -> Corpus:
    """The whole corpus that ships with Sealegs: domain by domain, a domain's tools by module and name."""
    modules = [module for domain in DOMAINS for module in _modules_of(domain)]
    found = collect_corpus(modules, (group for domain in DOMAINS for group in _shipped_groups(domain)))
    return replace(found, tools=_ordered(found.tools), histories=_ordered(found.histories), known=KnownAnswers())


def load_corpus_file(file: Path) -> Corpus:
    """The tools and patterns of a Python file, and of the text beside it: `garden.groups.txt` of `garden.py`.

    Raises:
        UserError: there is no such file, it cannot be run, it holds no tools, or the text beside it is not in the form.
    """
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None or not file.exists():
        raise UserError(f"there is no Python file {file}")
    patterns = _groups_beside(file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module  # before it runs: dataclasses and pydantic look their module up by its name
    try:
        spec.loader.exec_module(module)
        corpus = collect_corpus([module], patterns)
    except (Exception, SystemExit) as error:
        raise UserError(describe_import_error(str(file), error)) from error
    if not corpus.tools:
        raise UserError(
            f"{file} holds no tools; make them with `@sealegs.world.tool.simulated_tool` (see docs/world.md)"
        )
    return corpus


def collect_corpus(modules: Iterable[ModuleType], patterns: Iterable[Pattern] = ()) -> Corpus:
    """The tools and patterns that are attributes of these modules, and further patterns.

    Raises:
        ValueError: two tools or two groups share a name, or a group or overlap names a tool that is not there.
    """
    tools: dict[str, SimulatedTool] = {}
    groups: dict[str, Pattern] = {}
    overlaps: list[Overlap] = []
    histories: dict[str, SimulatedTool] = {}
    for module in modules:
        for thing in vars(module).values():
            if isinstance(thing, SimulatedTool):
                _add(histories if thing.category == "history" else tools, thing.name, thing)
            elif isinstance(thing, Pattern):
                _add(groups, thing.name, thing)
            elif isinstance(thing, Overlap):
                overlaps.append(thing)
    for pattern in patterns:
        _add(groups, pattern.name, pattern)
    wanted = [(f"group {group.name}", group.tools) for group in groups.values()]
    wanted += [("an overlap", tuple(sorted(overlap.tools))) for overlap in overlaps]
    for where, names in wanted:
        # After all modules, since a group may name the tools of another one.
        strangers = [name for name in names if name not in tools]
        if strangers:
            raise ValueError(f"{where} names tools that are not in the corpus: {', '.join(strangers)}")
    return Corpus(tools, groups, tuple(overlaps), histories)


def _modules_of(domain: str) -> list[ModuleType]:
    """Every module of a shipped domain, by name."""
    package = f"sealegs.world.{domain}"
    names = sorted(found.name for found in iter_modules(import_module(package).__path__))
    return [import_module(f"{package}.{name}") for name in names]


def _ordered(tools: Mapping[str, SimulatedTool]) -> dict[str, SimulatedTool]:
    """The tools in an order that does not depend on which module imports a tool of which other."""

    def place(tool: SimulatedTool) -> tuple[int, str, str]:
        return DOMAINS.index(tool.domain), tool.run.__module__, tool.name

    return {tool.name: tool for tool in sorted(tools.values(), key=place)}


def _shipped_groups(domain: str) -> tuple[Pattern, ...]:
    """The groups of a shipped domain."""
    source = resources.files(f"sealegs.world.{domain}") / GROUPS
    return parse_groups(source.read_text(encoding="utf-8"), f"{domain}/{GROUPS}")


def _groups_beside(file: Path) -> tuple[Pattern, ...]:
    """The groups of the text beside a person's own Python file; none where there is no such text."""
    source = file.with_suffix(f".{GROUPS}")
    if not source.exists():
        return ()
    try:
        text = source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{source} cannot be read: {error}; save it as UTF-8") from error
    return parse_groups(text, str(source))


def _add(known: dict[str, T], name: str, thing: T) -> None:
    if known.setdefault(name, thing) is not thing:
        raise ValueError(f"two different things are named {name!r}; rename one")
