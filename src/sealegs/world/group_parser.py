"""The text form of alternative groups: what stands in a domain's `groups.txt`, read strictly.

    group currency_conversion(amount, from_currency, to_currency) -> converted_amount, rate
      What an amount of money is in another currency at the current middle rate.
      | direct: convert_currency(amount, from_currency, to_currency)
      | by_rate: exchange_rate(base=from_currency, quote=to_currency)
          > amount_at_rate(amount, exchange_rate=exchange_rate.rate, to_currency) -> rate=exchange_rate.rate
      e.g. 420.0, "EUR", "USD"

A group's head stands at the margin. Below it, indented by two spaces, stand its purpose, a line for each way and a line
for each example; a line that is indented further continues the one above. Blank lines and lines that begin with `#` say
nothing. In the notation of Python's grammar, where NAME is a Python identifier and JSON a JSON value:

    head:     'group' NAME '(' ','.NAME* ')' '->' ','.NAME+
    way:      '|' NAME ':' '>'.call+ ['->' ','.export+]
    call:     NAME '(' ','.argument* ')'
    argument: NAME | NAME '=' (NAME | FIELD | JSON)
    export:   NAME '=' FIELD
    example:  'e.g.' ','.JSON+
    FIELD:    NAME ('.' (NAME | NUMBER))+

A bare name is an input of the group; an argument without `=` takes the input of the same name. FIELD is a field of the
answer of a tool that the way called before. An export that is not listed is the field of the same name in the answer of
the way's last tool. Exports come in the order of the head, unless a way lists all of them and so sets its own. An
example gives the inputs in the order of the head.

The parser does not know the tools; `corpus` checks that they exist, and `check` that the ways deliver the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.tasks.graph import Constant
from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.group_scanner import Clause, Scanner, SyntaxProblem, repeated_names

INDENT = 2
INSIDE = "begin it with `|` or `e.g.`, or indent it further so that it continues the line above"
BEGIN = "begin with `group NAME(INPUTS) -> EXPORTS`"


@dataclass(frozen=True, slots=True)
class _Head:
    """The first line of a group."""

    name: str
    inputs: tuple[str, ...]
    exports: tuple[str, ...]


def parse_groups(text: str, source: str) -> tuple[Pattern, ...]:
    """Read the groups of a text, in their order.

    Args:
        text: the groups.
        source: where the text comes from, for messages; a file's name.

    Raises:
        UserError: some of the text is not in the form. Names every such place with its line, and says what would do.
    """
    problems: list[SyntaxProblem] = []
    groups: dict[str, Pattern] = {}
    for clauses in _blocks(text, problems):
        group = _group(clauses, problems)
        if group is not None and groups.setdefault(group.name, group) is not group:
            problems.append(SyntaxProblem(clauses[0].line, f"a second group is named {group.name}; rename one"))
    if problems:
        ordered = sorted(problems, key=lambda problem: problem.line)
        raise UserError("\n".join(f"{source}:{problem.line}: {problem.message}" for problem in ordered))
    return tuple(groups.values())


def is_reference(value: Any, tools: Iterable[str]) -> bool:
    """Tell whether a way with calls of these tools takes the value for a reference, and not for a constant."""
    head, dot, _ = value.partition(".") if isinstance(value, str) else ("", "", "")
    return bool(dot) and (head == "in" or head in tools)


def _blocks(text: str, problems: list[SyntaxProblem]) -> list[list[Clause]]:
    """The clauses of each group, its head first."""
    blocks: list[list[Clause]] = []
    for number, full in enumerate(text.split("\n"), 1):
        line = full.rstrip()
        rest = line.lstrip(" ")
        indent = len(line) - len(rest)
        if not rest or line.startswith("#"):
            continue
        # First, since an indentation counts spaces alone: a line behind a tab would begin a group.
        if rest.startswith("\t"):
            problems.append(SyntaxProblem(number, "is indented with a tab; use spaces"))
        elif indent == 0:
            blocks.append([Clause(number, rest)])
        elif not blocks:
            problems.append(SyntaxProblem(number, f"this line belongs to no group; {BEGIN}"))
        elif indent < INDENT:
            problems.append(SyntaxProblem(number, "is indented by one space; use two, or more to continue a line"))
        elif indent == INDENT:
            blocks[-1].append(Clause(number, rest))
        else:
            blocks[-1][-1] = blocks[-1][-1].continued(number, rest)
    return blocks


def _group(clauses: Sequence[Clause], problems: list[SyntaxProblem]) -> Pattern | None:
    """The group of these clauses; None where they tell none, with what is wrong added to the problems."""
    first, *body = clauses
    try:
        head = Scanner(first).whole(_head)
    except SyntaxProblem as problem:
        problems.append(problem)
        return None  # nothing below can be judged without the names of inputs and exports
    found: list[SyntaxProblem] = []
    purpose, ways, examples = "", [], []
    for place, clause in enumerate(body):
        try:
            if clause.text.startswith("|"):
                ways.append(Scanner(clause).whole(lambda scan: _way(scan, head)))
            elif clause.text.startswith("e.g."):
                examples.append(Scanner(clause).whole(lambda scan: _example(scan, head)))
            elif place == 0:
                purpose = " ".join(clause.text.split())
            else:
                found.append(SyntaxProblem(clause.line, f"is no way and no example; {INSIDE}"))
        except SyntaxProblem as problem:
            found.append(problem)
    if not purpose:
        found.append(SyntaxProblem(first.line, f"{head.name} has no purpose; say below it what every way achieves"))
    if not found:
        found += (SyntaxProblem(first.line, message) for message in _way_problems(head, ways))
    problems += found
    return None if found else Pattern(head.name, purpose, head.inputs, head.exports, tuple(ways), tuple(examples))


def _way_problems(head: _Head, ways: Sequence[Way]) -> Iterable[str]:
    """The problems of the ways of a group taken together."""
    if len(ways) < 2:
        yield f"{head.name} needs two ways or more, and has {len(ways)}"
    for id in repeated_names([way.id for way in ways]):
        yield f"two ways of {head.name} are named {id}; rename one"
    # All ways of a group are in one graph, which has each tool once.
    for tool in repeated_names([tool for way in ways for tool in way.calls]):
        yield f"two ways of {head.name} call {tool}; a tool can stand in one of them only"
    # Text that only looks like an input is still a `Constant` here (`_unwrapped`).
    taken = {value for way in ways for call in way.calls.values() for value in call.values() if isinstance(value, str)}
    for name in head.inputs:
        if f"in.{name}" not in taken:
            yield f"no way of {head.name} takes the input {name}; use it or leave it out"


def _head(scan: Scanner) -> _Head:
    if scan.name("`group`") != "group":
        scan.fail(f"no group begins so; {BEGIN}, and indent what belongs to the group above")
    name = scan.name("the group's name")
    scan.need("(", "the inputs")
    inputs = scan.listed(lambda: scan.new_name("an input"), end=")")
    scan.need("->", "the exports")
    exports = scan.listed(lambda: scan.new_name("an export"))
    scan.refuse_twice("input", inputs)
    scan.refuse_twice("export", exports)
    return _Head(name, tuple(inputs), tuple(exports))


def _way(scan: Scanner, head: _Head) -> Way:
    scan.need("|", "a way")
    id = scan.name("the way's name")
    scan.need(":", "the way's calls")
    calls: dict[str, dict[str, Any]] = {}
    while not calls or scan.take(">"):
        tool = scan.new_name("a tool")
        if tool in calls:
            scan.fail(f"{id} calls {tool} twice; a way can call a tool once")
        calls[tool] = _arguments(scan, head, calls)
    sources = {name: f"{tool}.{name}" for name in head.exports}  # of the last tool
    if scan.take("->"):
        exports = scan.listed(lambda: _export(scan, head, calls))
        scan.refuse_twice("export", [name for name, _ in exports])
        sources = dict(exports) if len(exports) == len(sources) else {**sources, **dict(exports)}
    plain = {tool: {name: _unwrapped(value, calls) for name, value in call.items()} for tool, call in calls.items()}
    return Way(id, plain, sources)


def _arguments(scan: Scanner, head: _Head, calls: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call: references as text, constants wrapped. `calls` are those before it."""

    def argument() -> tuple[str, Any]:
        name = scan.name("an argument")
        return name, scan.bound(head.inputs, calls) if scan.take("=") else scan.input(name, head.inputs)

    scan.need("(", "the arguments")
    given = scan.listed(argument, end=")")
    scan.refuse_twice("argument", [name for name, _ in given])
    return dict(given)


def _export(scan: Scanner, head: _Head, calls: Mapping[str, Any]) -> tuple[str, str]:
    name = scan.name("an export")
    if name not in head.exports:
        scan.fail(f"{name} is not an export of {head.name}; its exports are {', '.join(head.exports)}")
    scan.need("=", f"the field that is {name}")
    return name, scan.field(calls)


def _example(scan: Scanner, head: _Head) -> dict[str, Any]:
    scan.need("e.g.", "an example")
    values = [] if scan.at_end() else scan.listed(scan.value)
    if scan.at_end() and len(values) != len(head.inputs):
        scan.fail(f"gives {len(values)} values for the {len(head.inputs)} inputs {', '.join(head.inputs)}")
    return dict(zip(head.inputs, values))


def _unwrapped(value: Any, tools: Iterable[str]) -> Any:
    """A constant as itself, but for text that a way would take for a reference."""
    return value.value if isinstance(value, Constant) and not is_reference(value.value, tools) else value
