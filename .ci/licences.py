"""Check the licences of all that is installed beside this Python against an allow-list.

usage: python .ci/licences.py [MORE...]

`MORE` are further packages that may be without a licence. Each package's own metadata counts: its licence expression,
else its classifiers, else its licence field. Of an expression with OR one part must be allowed, with AND every one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

LIST = Path(__file__).with_name("licences.txt")


def main() -> int:
    """Print each package whose licence is not on the list."""
    allowed, named = read_list(LIST.read_text("utf-8"))
    bad = sorted(problems(allowed, named, set(sys.argv[1:])))
    print("\n".join(bad) or "every licence is on the list")
    return 1 if bad else 0


def read_list(text: str) -> tuple[set[str], dict[str, str]]:
    """The licences that may be, and those of packages that do not say theirs."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    named = dict(line.split(": ", 1) for line in lines if ": " in line)
    return {line.casefold() for line in lines if ": " not in line}, named


def problems(allowed: set[str], named: dict[str, str], without: set[str]) -> Iterator[str]:
    """A sentence for each package whose licence may not be."""
    for found in distributions():
        name = str(found.metadata["Name"]).lower()
        names = licences(found) or ([named[name].split(" (")[0]] if name in named else [])
        if not names:
            if name not in without:
                yield f"{name} says no licence; read it, and name it in {LIST.name}"
        elif not all(is_allowed(one, allowed) for one in names):
            yield f"{name}: {'; '.join(names)}"


def licences(found: Distribution) -> list[str]:
    """What a package's metadata says of its licence."""
    expression = found.metadata.get("License-Expression")
    if expression:
        return [str(expression)]
    classified = [
        one.rpartition(" :: ")[2]
        for one in found.metadata.get_all("Classifier") or []
        if one.startswith("License :: ") and one != "License :: OSI Approved"
    ]
    if classified:
        return [" OR ".join(classified)]
    field = str(found.metadata.get("License") or "").strip().split("\n")[0]
    return [field] if field and field != "UNKNOWN" else []


def is_allowed(expression: str, allowed: set[str]) -> bool:
    """Whether a licence expression may be."""
    if expression.casefold() in allowed:
        return True
    tokens = [token.strip() for token in re.split(r"([()]|\b(?:AND|OR)\b)", expression) if token.strip()]
    try:
        found = _either(tokens, allowed)
    except IndexError:
        return False
    return found and not tokens


def _either(tokens: list[str], allowed: set[str]) -> bool:
    found = _both(tokens, allowed)
    while tokens and tokens[0] == "OR":
        tokens.pop(0)
        found = _both(tokens, allowed) or found
    return found


def _both(tokens: list[str], allowed: set[str]) -> bool:
    found = _one(tokens, allowed)
    while tokens and tokens[0] == "AND":
        tokens.pop(0)
        found = _one(tokens, allowed) and found
    return found


def _one(tokens: list[str], allowed: set[str]) -> bool:
    token = tokens.pop(0)
    if token == "(":
        found = _either(tokens, allowed)
        return tokens.pop(0) == ")" and found
    return token.partition(" WITH ")[0].casefold() in allowed


if __name__ == "__main__":
    sys.exit(main())
