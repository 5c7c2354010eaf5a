"""Instructions to a reviewer: the same words on the page and in a model's prompt."""

from __future__ import annotations

SOLVE_INSTRUCTIONS = """\
Carry out the request by calling the tools. Take every value from the request or from a tool's answer; never guess \
one. When everything is done, give what is asked for. If it cannot be done, say so.\
"""

DETECT_INSTRUCTIONS = """\
Below are a request, the calls that were made for it so far with what the tools answered, and the answer of one more \
call. Nothing before that call is wrong. Say whether its answer is right, or corrupt: some value in it is false, \
missing, or about something else. Half of all answers that are shown are corrupt.\
"""

DETECT_FORM = """\
Reply with JSON alone: {"corrupt": true, "why": "..."} or {"corrupt": false, "why": "..."}.\
"""
