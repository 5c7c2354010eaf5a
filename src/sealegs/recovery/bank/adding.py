"""New exemplars into a user's bank: looked at for what is known already, and put at the file's end.

What is in the file, comments included, stays as it is; nothing is written here (the caller writes the text, whole).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.recovery.bank.exemplar import Exemplar, bank_file, read_bank_file, shipped_exemplars
from sealegs.recovery.causes import causes


def known_already(one: Exemplar, others: Iterable[Exemplar]) -> str:
    """The reason why an exemplar is not new beside others; empty where it is new."""
    for other in others:
        if one.name == other.name:
            return f"{one.name}: an exemplar of this name is there already; choose another name"
        if _key(one) == _key(other) and set(one.masks) & set(other.masks):
            look = next(mask for mask in one.masks if mask in other.masks)
            return f"{one.name}: {other.name} is for the same failure ({look[:60]!r}); leave it out or change that one"
    return ""


def describe_replacements(new: Iterable[Exemplar]) -> list[str]:
    """A sentence for each exemplar of the shipped bank that one of these replaces."""
    names = {one.name for one in shipped_exemplars()}
    return [f"{one.name} takes the place of the shipped exemplar of this name" for one in new if one.name in names]


def extend_bank_text(path: Path, new: Sequence[Exemplar]) -> str:
    """The text of a bank file with these added.

    Raises:
        UserError: the file is not a bank, or some of them are not new; the message holds everything that is wrong.
    """
    there = read_bank_file(path).exemplars if path.exists() else ()
    known = list(there)
    problems = []
    for one in new:
        problem = known_already(one, known)
        problems += [problem] if problem else []
        # The new ones are also compared with one another, not only with what the file holds.
        known.append(one)
    if problems:
        raise UserError("\n".join([f"nothing was added to {path}:", *(f"  {problem}" for problem in problems)]))
    old = path.read_text(encoding="utf-8-sig") if path.exists() else ""
    return _json(old, new) if path.suffix.lower() == ".json" else _yaml(old, new, (*there, *new), path)


def coverage(exemplars: Sequence[Exemplar]) -> dict[str, int]:
    """The number of exemplars for each cause."""
    return {name: sum(one.cause == name for one in exemplars) for name in causes()}


def yaml_text(exemplars: Iterable[Exemplar]) -> str:
    """Exemplars as entries of a YAML list."""
    import yaml

    return yaml.safe_dump([one.data() for one in exemplars], sort_keys=False, allow_unicode=True, width=110)


def _yaml(old: str, new: Sequence[Exemplar], all_of_them: tuple[Exemplar, ...], path: Path) -> str:
    import yaml

    start = old if not old or old.endswith("\n") else f"{old}\n"
    # Written behind what is there, so that comments and the file's own form stay; what comes of it is read back.
    entries = yaml_text(new)
    indented = "".join(f"  {line}\n" for line in entries.splitlines())
    for text in (f"{start or 'exemplars:' + chr(10)}{entries}", f"{start}{indented}"):
        try:  # as the file indents its list
            if bank_file(yaml.safe_load(text), str(path)).exemplars == all_of_them:
                return text
        except (yaml.YAMLError, UserError):
            continue
    head = {"shipped": False} if old and not bank_file(yaml.safe_load(old), str(path)).shipped else {}
    # Neither form could be read back as the same list: the file is written anew, and loses its comments.
    whole: dict[str, Any] = {**head, "exemplars": [one.data() for one in all_of_them]}
    return yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=110)


def _json(old: str, new: Sequence[Exemplar]) -> str:
    data = json.loads(old) if old.strip() else {"exemplars": []}
    if isinstance(data, dict) and "exemplars" not in data:
        data = [data]
    if isinstance(data, list):
        data = {"exemplars": data}
    data["exemplars"] = [*data["exemplars"], *(one.data() for one in new)]
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _key(one: Exemplar) -> tuple[Any, ...]:
    return (one.cause, frozenset(one.status), frozenset(one.types), frozenset(one.invariants), one.repeated, one.tools)
