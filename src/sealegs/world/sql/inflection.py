"""The singular and plural of a table's name: enough of English for nouns that name tables in either form."""

from __future__ import annotations

UNCHANGED = frozenset(
    ("people", "children", "men", "women", "staff", "personnel", "data", "information", "equipment", "history")
)
VOWELS = "aeiou"
ENDING_IN_USE = ("auses", "ouses", "fuses", "muses", "abuses", "excuses")  # plurals of nouns in `use`, not in `us`


def plural(words: str) -> str:
    """The plural of a noun of one or several words, of which the last one changes.

    What ends in `s` is taken for a plural, but for `ss`, `us` and `is`.
    """
    head, _, last = words.rpartition(" ")
    made = last
    if not last.isalpha() or last in UNCHANGED:
        return words
    if last.endswith(("ss", "us", "is", "ch", "sh", "x", "z")):
        made = f"{last}es"
    elif last.endswith("y") and last[-2:-1] not in VOWELS:
        made = f"{last[:-1]}ies"
    elif not last.endswith("s"):
        made = f"{last}s"
    return f"{head} {made}".strip()


def singular(words: str) -> str:
    """The singular of a noun of one or several words, of which the last one changes."""
    head, _, last = words.rpartition(" ")
    made = last
    if last in UNCHANGED or last.endswith(("ss", "us", "is")):
        return words
    if last.endswith("ies") and len(last) > 4:
        made = f"{last[:-3]}y"
    elif last.endswith(("ches", "shes", "sses", "uses", "xes", "zes")) and not (
        last == "uses" or last.endswith(ENDING_IN_USE)
    ):
        made = last[:-2]
    elif last.endswith("s"):
        made = last[:-1]
    return f"{head} {made}".strip()
