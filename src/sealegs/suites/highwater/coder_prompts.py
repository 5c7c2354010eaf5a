"""What a model is told before the question: the published protocol, in our own words."""

from __future__ import annotations

import json

from sealegs.suites.highwater.function_search import MOST
from sealegs.suites.highwater.problem_episodes import HighwaterEpisode
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

The answer is the rows that the question asks for, as a JSON list of lists with one list a row and the columns in the \
order of the question; a single value may stand alone. Take it from what functions answered, never from memory. If the \
functions cannot answer the question, say so in <solution>. You have {steps} messages in all.
"""
OPEN = f"""\
There are thousands of functions; their names say nothing. Two more help you to find them, and all can be called in \
your code:

search_tools(query, num_results={MOST})  # a list of {{"name", "description"}}, the best first; at most {MOST}
get_info(tool_name)  # the whole documentation of one function

A function answers with a list of rows. Some take rows that another one answered.
"""
LISTED = """\
These functions can be called in your code; their names say nothing. A function answers with a list of rows. Some take \
rows that another one answered.

"""
FAILING = "A function may fail. Then look for another way to the same rows: another function, or several together.\n"


def coder_system_prompt(episode: HighwaterEpisode, steps: int) -> str:
    """What comes before the question."""
    if episode.setting == "open":
        middle = OPEN
    else:
        lines = [json.dumps(function.spec, ensure_ascii=False) for function in episode.offered]
        middle = LISTED + "\n".join(lines or ["(none)"]) + "\n"
    return "\n".join([PROTOCOL.format(steps=steps), middle, FAILING])


def question(episode: HighwaterEpisode) -> str:
    """The question, with hints where they are wanted."""
    return "\n\n".join([episode.found.question, *([hint(episode)] if episode.hints else [])])


def hint(episode: HighwaterEpisode) -> str:
    """What tells the question's data from others of the kind."""
    database = in_words(episode.found.database)
    columns = ", ".join(episode.found.columns)
    return f"Hint: the data is called {database}. The columns of the answer: {columns}."
