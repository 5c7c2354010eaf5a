"""Two worked examples of the protocol, shown before the question where they are wanted.

As published, each makes a mistake and recovers from it: a key or an index that is not in a row, and an argument of the
wrong type. Both are solved by one function, so that they say nothing of how to do without a refused one. The
outputs are what the interpreter prints for that code; a test runs it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sealegs.suites.highwater.coding_protocol import wrap_observation
from sealegs.world.sql.function_library import SqlFunction
from sealegs.world.sql.parameter import Parameter, RowForm

LAKES = SqlFunction(
    "fn_lakes",
    "lakes",
    "whole",
    "SELECT name, depth FROM lake ORDER BY depth DESC LIMIT 2",
    (),
    "The name and the depth of lakes, only the 2 with the highest depth. Data: lakes.",
    ("name", "depth"),
    ("name", "depth"),
)
BOATS = SqlFunction(
    "fn_boats",
    "lakes",
    "whole",
    "SELECT COUNT(*) FROM boat WHERE built > :arg_0",
    (Parameter("arg_0", "value", ("integer",), "a whole number, as in the built of the boat"),),
    "The number of boats whose built is greater than `arg_0`. Data: lakes.",
    ("number of boats",),
    ("COUNT(*)",),
)
ROWS: Mapping[str, list[list[Any]]] = {LAKES.name: [["Mirror Lake", 210], ["Long Lake", 185]], BOATS.name: [[14]]}


@dataclass(frozen=True)
class ExampleTurn:
    """A turn of an example.

    Attributes:
        thought: what the agent thinks.
        code: what it runs.
        shown: what is printed.
    """

    thought: str
    code: str
    shown: str


@dataclass(frozen=True)
class WorkedExample:
    """A question that is answered.

    Attributes:
        question: the question in words.
        function: the function that answers it.
        turns: of the agent's code.
        answer: what it says at last.
    """

    question: str
    function: SqlFunction
    turns: tuple[ExampleTurn, ...]
    answer: str


def worked_examples(form: RowForm) -> tuple[WorkedExample, WorkedExample]:
    """The two examples, with rows in a form."""
    return (_deepest(form), _boats(form))


def examples_in_words(form: RowForm, searched: bool) -> str:
    """The examples as a prompt has them.

    Args:
        form: of rows.
        searched: whether functions are found by search; otherwise they are listed.
    """
    examples = [_shown(number, one, searched) for number, one in enumerate(worked_examples(form), 1)]
    return "\n\n".join(["Two examples, with functions that are not among yours:", *examples, "Now the question."])


def _deepest(form: RowForm) -> WorkedExample:
    if form == "records":
        wrong, mark, error = 'row["lake"]', "~~~^^^^^^^^", "KeyError: 'lake'"
        answer = '[{"name": "Mirror Lake"}, {"name": "Long Lake"}]'
    else:
        wrong, mark, error = "row.name", "^^^^^^^^", "AttributeError: 'list' object has no attribute 'name'"
        answer = '[["Mirror Lake"], ["Long Lake"]]'
    code = f"for row in fn_lakes():\n    print({wrong})"
    return WorkedExample(
        "What are the names of the two deepest lakes?",
        LAKES,
        (
            ExampleTurn("fn_lakes gives the deepest lakes. I print their names.", code, _raised(code, mark, error)),
            ExampleTurn("The rows are not what I expected. I look at them.", "print(fn_lakes())", _rows(LAKES, form)),
        ),
        answer,
    )


def _boats(form: RowForm) -> WorkedExample:
    code = 'print(fn_boats(arg_0="1990"))'
    problem = "is a text; give a whole number"
    body = {
        "status": 422,
        "type": "InvalidArguments",
        "message": f"Invalid arguments: arg_0 {problem}",
        "details": [{"field": "arg_0", "problem": problem, "value": "1990"}],
    }
    error = f"InvalidArguments: {json.dumps({'error': body})}"
    return WorkedExample(
        "How many boats were built after 1990?",
        BOATS,
        (
            ExampleTurn("fn_boats counts boats built after a year.", code, _raised(code, "^" * len(code[6:-1]), error)),
            ExampleTurn("The year must be a number.", "print(fn_boats(arg_0=1990))", _rows(BOATS, form)),
        ),
        "14",
    )


def _rows(function: SqlFunction, form: RowForm) -> str:
    rows = ROWS[function.name]
    return repr(function.as_records(rows) if form == "records" else rows)


def _raised(code: str, mark: str, error: str) -> str:
    """The text that Python prints of an error in the last line of a first turn, below the argument of `print`."""
    lines = code.splitlines()
    line = lines[-1].strip()
    place = f'  File "<turn 1>", line {len(lines)}, in <module>'
    return "\n".join(
        ["Traceback (most recent call last):", place, f"    {line}", f"    {' ' * len('print(')}{mark}", error]
    )


def _shown(number: int, example: WorkedExample, searched: bool) -> str:
    lines = [f"Example {number}. {example.question}"]
    turns = example.turns
    if searched:
        query = example.question.rstrip("?").lower()
        found = repr([{"name": example.function.name, "description": example.function.description}])
        turns = (ExampleTurn("I look for a function.", f"print(search_tools({query!r}, num_results=1))", found), *turns)
    for turn in turns:
        lines.append(f"<thought>{turn.thought}</thought>\n<execute>\n{turn.code}\n</execute>")
        shown = turn.shown.replace("<turn 1>", "<turn 2>") if searched else turn.shown
        lines.append(wrap_observation(shown))
    lines.append(f"<thought>That is the answer.</thought>\n<solution>{example.answer}</solution>")
    return "\n".join(lines)
