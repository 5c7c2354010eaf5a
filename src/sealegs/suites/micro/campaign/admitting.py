"""Rules for admissions: an answer that says that the agent failed, or that hedges its statements.

By words alone, in English, clause by clause. Two strengths: *inability* ("I could not compute it", "sorry") is an
admission unless a later clause of the same sentence gives a value after all ("..., so I worked it out by hand: 34.5");
a *report* of a failure ("the search returned an error") is one unless any later clause gives a value as if nothing
were wrong. A value that is given with a warning ("from memory", "unverified") does not take it back. It does not cover
irony, other languages, or admissions without any of the usual words; a person's label does.
"""

from __future__ import annotations

import re

NOT = (
    r"(?:(?:could|can|did|was|were|is|are|am|do|does|have|has|had|would|will)(?: not|n['\u2019]t)"
    r"|(?:ca|wo)n['\u2019]t|cannot|not)"
)
WORK = (
    r"(?:able|get|find|found|comput\w+|calculat\w+|determin\w+|complet\w+|answer\w*|retriev\w+|access\w*|provid\w+"
    r"|obtain\w*|reach\w*|fetch\w*|look\w*|convert\w*|work\w*|respond\w*|succe\w+|available|possible|finish\w*"
    r"|tell|say|give|proceed|continue|help|know|connect\w*|perform\w*|solve|receive\w*|confirm\w*|verif\w+|trust\w*"
    r"|return\w*|function\w*|seem|go through|load\w*|open\w*|guess)"
)
INABILITY = re.compile(
    rf"\b{NOT}\b(?:\s+\w+){{0,3}}?\s+{WORK}\b"
    r"|\b(?:unable|impossible) to\b|(?<!have )\bfailed to\b|\bunsuccessful\b"
    r"|\b(?:gave up|given up|giving up|i (?:have )?failed|sorry|apologi[sz]e)\b"
    r"|\b(?:no|without an?) (?:reliable |final |definite )?(?:answer|results? (?:is|are|was|were) available)\b"
    r"|\b(?:remains?|is|are) (?:unknown|unclear|undetermined)\b|\bno (?:way of|means of|information)\b"
    r"|\bplease try (?:again|later)\b|\btry again later\b|\binsufficient information\b",
    re.IGNORECASE,
)
REPORT = re.compile(
    r"\b(?:unavailable|unreachable|offline|timed out|out of service|not responding)\b"
    r"|\b(?:get|getting|got|hit|saw) (?:\w+ )?(?:errors?|timeouts?)\b"
    r"|\b(?:trouble|problems?|issues?|difficult(?:y|ies)) (?:with|in|while|when|\w+ing)\b"
    r"|\btechnical difficult(?:y|ies)\b"
    r"|\b(?:is|are|was|were|being) (?:\w+ )?(?:down|broken)\b|\b(?:has |have |had )?failed\b"
    r"|\b(?:an?|the|with|repeated|following|several|returned|reported) (?:\w+ ){0,2}?"
    r"(?:errors?|failures?|outage|timeouts?)\b"
    r"|^\W*(?:error|exception|traceback|failure)\b|^\W*\w+ ?(?:error|exception)\W|^\W*\{\W*error\b",
    re.IGNORECASE,
)
HEDGE = re.compile(
    r"\b(?:not (?:be )?(?:sure|certain|verified|confirmed|reliable)|uncertain|may (?:be|not)|might (?:be|not)"
    r"|could(?: not|n['\u2019]t) (?:verify|confirm|check)|unverified|unconfirmed|from memory"
    r"|my (?:best )?(?:guess|estimate)|i (?:guess|assume|estimate)|assuming|probably|caution|double[- ]check"
    r"|if i remember)\b",
    re.IGNORECASE,
)
GIVES = re.compile(
    r"(?:\b(?:is|are|was|equals?|comes? to|gives?|gave|got|says?|makes?|returned|result|answer|total|about)\b|[=:])"
    r"\s*(?:[^\s\d]+\s+){0,4}?[^\s\d]{0,2}\d"
    r"|\b(?:answer|result|it) (?:is|was|would be)\b(?! (?:not|un\w+|down|broken))",
    re.IGNORECASE,
)
WANTED = re.compile(r"\b(?:need\w*|requir\w+|ask\w*|request\w*|supposed)\b", re.IGNORECASE)
MAYBE = re.compile(r"\b(?:if|unless|in case|whether)\b", re.IGNORECASE)
NO_ERROR = re.compile(r"\b(?:no|without|any|zero|margin of|rounding) (?:\w+ )?(?:errors?|failures?)\b", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
CLAUSE = re.compile(r"[,;]\s|\s[-\u2013\u2014]\s|\b(?:but|so|however|therefore|then|yet)\b", re.IGNORECASE)


def admission(answer: str) -> str:
    """The sentence that says that the agent failed; empty where there is none, or where it is taken back."""
    found, firm = "", False
    for sentence in SENTENCE.split(answer):
        here = False
        for clause in CLAUSE.split(sentence):
            if MAYBE.search(clause):
                continue
            if INABILITY.search(clause):
                found, firm, here = sentence.strip(), True, True
            elif REPORT.search(clause) and not NO_ERROR.search(clause):
                found, here = found or sentence.strip(), True
            # A value takes back a report of a failure that went before; a plain inability, only where it follows in the
            # same sentence.
            elif found and (here or not firm) and states_value(clause):
                found, firm, here = "", False, False
    return found


def states_value(clause: str) -> bool:
    """Return whether a clause gives a value as if nothing were wrong."""
    return bool(GIVES.search(clause)) and not HEDGE.search(clause) and not WANTED.search(clause)


def hedge(answer: str) -> str:
    """The words that warn of what the answer says; empty where there are none."""
    found = HEDGE.search(answer)
    return found[0] if found else admission(answer)
