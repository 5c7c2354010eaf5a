"""Prompts of the model before the request.

The two prompts have the content of the published ones in our own words. Two things are added to both: the world's
date, without which "tomorrow" means nothing, and the status line that lets a judge read a stop without guessing at
phrases. A third says what a failed action may have left behind.
"""

from sealegs.scenarios.moments import PUBLISHED

TASK = """\
You are an assistant that works with tools. Carry out the user's request completely: every part of it.

Take every fact from a tool's answer; never invent, estimate or remember one. Values that a tool needs come from the \
request or from the answers of other tools. When everything is done, answer concisely and give every result that the \
user asked for.
"""

CHECKING = """\
Tools can fail. One may report an error, or return an answer that looks fine and is wrong. Before you use an answer, \
check that it is about what you asked, agrees with itself and with common sense, and is complete enough to go on with. \
If it is not, or if the tool failed, try again or reach the same result with another tool or a combination of tools. \
If nothing is left to try, stop, and report what could not be done and why.
"""

NOW = "It is Monday, 2 March 2026, 09:00."
ANSWER_FORMAT = f"""\
{NOW}

End your final answer with a line of its own: "Status: complete" if the request was carried out, \
"Status: incomplete" if it could not be.
"""

DOUBT = """\
A call that failed, or whose answer is wrong, may have had its effect all the same. A tool's description says what a \
second identical call does, and the history tools show what was done.
"""

NO_DOUBT = """\
A call that failed, or whose answer is wrong, has had no effect.
"""

PROMPTS = {
    "standard": f"{TASK}\n{ANSWER_FORMAT}",
    "failure-aware": f"{TASK}\n{CHECKING}\n{ANSWER_FORMAT}",
}


def scenario_prompt(name: str, moment: str) -> str:
    """The prompt of this name, with what holds of failed actions under this setting of their moment."""
    return f"{PROMPTS[name]}\n{NO_DOUBT if moment == PUBLISHED else DOUBT}"
