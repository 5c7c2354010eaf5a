"""The text that a model reads before the question: the published protocol, in our own words."""

from __future__ import annotations

import json
from collections.abc import Mapping

from sealegs.suites.highwater.function_search import MOST
from sealegs.suites.highwater.problem_episodes import HighwaterEpisode
from sealegs.suites.highwater.worked_examples import examples_in_words
from sealegs.world.sql.parameter import RowForm
from sealegs.world.sql.schema import in_words

PROTOCOL = """\
You answer a question about data by calling functions from Python. You work in turns. In each turn write one message:

<thought>what you know, and what you will do next</thought>
<execute>
Python code
</execute>

The code runs in an interpreter that keeps its variables from turn to turn. You are then shown what it printed, and \
the error if it raised one, as an observation. Print what you want to see; the standard library can be imported, and \
there is no network. When you know the answer, write instead:

<solution>the answer</solution>

The answer is the rows that the question asks for, as a JSON list of {answer}; a single value may stand alone. \
Take it from what functions answered, never from memory. If the \
functions cannot answer the question, say so in <solution>. You have {steps} messages in all.
"""
OPEN = f"""\
There are thousands of functions; their names say nothing. Two more help you to find them, and all can be called in \
your code:

search_tools(query, num_results={MOST})  # a list of {{"name", "description"}}, the best first; at most {MOST}
get_info(tool_name)  # the whole documentation of one function

A function answers with a list of {{rows}}. Some take rows that another one answered.
"""
LISTED = """\
These functions can be called in your code; their names say nothing. A function answers with a list of {rows}. \
Some take rows that another one answered.

"""
FORMS: Mapping[RowForm, tuple[str, str]] = {  # what a function answers with, and what the answer is a list of
    "lists": ("rows", "lists with one list a row and the columns in the order of the question"),
    "records": ("records, one a row, keyed by column", "records with the keys that the functions give them"),
}
FAILING = "A function may fail. Then look for another way to the same rows.\n"


def coder_system_prompt(episode: HighwaterEpisode, steps: int) -> str:
    """The system prompt, which comes before the question."""
    style = episode.style
    rows, answer = FORMS[style.rows]
    searched = episode.setting == "open"
    middle = (OPEN if searched else LISTED).replace("{rows}", rows)
    if not searched:
        lines = [json.dumps(function.spec_in(style.rows), ensure_ascii=False) for function in episode.offered]
        middle += "\n".join(lines or ["(none)"]) + "\n"
    examples = [examples_in_words(style.rows, searched)] if style.examples else []
    return "\n".join([PROTOCOL.format(steps=steps, answer=answer), middle, FAILING, *examples])


def question(episode: HighwaterEpisode) -> str:
    """The question, with hints where they are wanted."""
    return "\n\n".join(filter(None, [episode.found.question, hint(episode)]))


def hint(episode: HighwaterEpisode) -> str:
    """The hint that tells the question's data from others of the kind; empty where none is wanted."""
    if not episode.hints:
        return ""
    database = in_words(episode.found.database)
    columns = ", ".join(episode.found.columns)
    return f"Hint: the data is called {database}. The columns of the answer: {columns}."
