"""The prompts that the arms give the model, in our own words."""

TASK = """\
You work with tools. Carry out the user's request completely. Take every fact from a tool's answer and every argument \
from the request or from another tool's answer. At the end give every result that was asked for.
"""

RECOVER = """\
Tools can fail. When one does, say in a line that begins with "Diagnosis:" what kind of failure it is, then do what \
recovers from it: call the tool again where waiting helps, mend the arguments where they are at fault, get the same \
from another tool where this one will not work, and stop and report honestly where nothing is left. Never make up what \
no tool delivered.
"""

REFLECT = """\
The call {call} failed ({trouble}). Reflect: what was wrong with the call, and how must it be corrected? Answer in two \
sentences, without calling a tool."""

CORRECT = "Now make the corrected call. Attempt {attempt} of {attempts}."

CRITICISE = """\
You judge one tool call of an assistant. Say in one line "Verdict: right" if the tool's answer can be used as it is, \
or "Verdict: wrong" and the reason if it cannot: an error, an answer that cannot be read, or one that is not about \
what was asked."""

CASE = """\
The request: {request}
The call: {call}
The answer: {text}"""

MENU = """\
The critic holds that the call {call} came to nothing: {verdict}
What can be done: {options}
The critic recommends: {choice}
Attempt {attempt} of {attempts}."""

DIAGNOSE = """\
The call {call} failed ({trouble}).{advice} Write one line that begins with "Diagnosis:", then carry out the \
recovery."""

REACT = """\
You can use many tools to do the given task. At each step write your thought and one action, in this form and no other:

Thought: why
Action: the name of one tool
Action Input: its arguments as a JSON object

You are then shown the tool's answer as an observation, and go on from there. When the task is done, or cannot be \
done, the action is Finish: with {{"return_type": "give_answer", "final_answer": "..."}} or {{"return_type": \
"give_up", "final_answer": "..."}}. The user sees the final answer alone, so it must hold everything that was asked for.

The tools: {tools}
"""
