"""Defaults that a project gives to the command's options: `[tool.sealegs]` in the `pyproject.toml` of the folder.

    [tool.sealegs]
    seed = 7                         # of every verb that takes a seed; so with `jobs`

    [tool.sealegs.test]
    agent = "my_agent:run"
    fail-under = 0.9

A table has the name of a verb, and its keys are the verb's long options and arguments. What the command line says wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError

FILE = "pyproject.toml"
SHARED = ("jobs", "seed")  # what may stand directly under [tool.sealegs], for every verb that takes it


@dataclass(frozen=True, slots=True)
class VerbOption:
    """An option or argument of a verb.

    Attributes:
        name: what the verb calls it.
        key: what the user does.
        several: whether it may be given several times, so that a list is its default.
        switch: whether it is on or off.
    """

    name: str
    key: str
    several: bool = False
    switch: bool = False


def read_settings(folder: Path) -> dict[str, Any]:
    """The table `[tool.sealegs]` of a folder; empty where there is none.

    Raises:
        UserError: the file cannot be read, or what it has there is no table.
    """
    file = folder / FILE
    if not file.is_file():
        return {}
    import tomllib  # by the few that have such a file

    try:
        tool = tomllib.loads(file.read_text("utf-8-sig")).get("tool")
    except (OSError, ValueError) as error:
        raise UserError(f"{file} cannot be read ({error}); correct it, or run sealegs in another folder") from error
    found = tool.get("sealegs", {}) if isinstance(tool, Mapping) else {}
    if not isinstance(found, dict):
        raise UserError(f"{FILE}: [tool.sealegs] is {found!r:.60}; make it a table")
    return found


def check_verbs(settings: Mapping[str, Any], verbs: Iterable[str], path: Iterable[str] = ()) -> None:
    """Check that each key of a group's table is a verb of it with a table, or an option that all verbs share.

    Raises:
        UserError: one is not.
    """
    place, known = ".".join(("tool.sealegs", *path)), sorted(verbs)
    shared = () if path else SHARED
    for key, value in settings.items():
        if key in shared and not isinstance(value, Mapping):
            continue
        if key not in known:
            raise UserError(f"{FILE}: [{place}] has an unknown key {key!r}; {_hint(key, [*known, *shared])}")
        if not isinstance(value, Mapping):
            raise UserError(f"{FILE}: {key} in [{place}] is {value!r:.60}; make it a table, [{place}.{key}]")


def verb_defaults(
    settings: Mapping[str, Any], path: Iterable[str], options: Iterable[VerbOption], shared: Mapping[str, Any]
) -> dict[str, Any]:
    """The defaults of one verb by the names that it has for its options.

    Args:
        settings: the verb's own table.
        path: the verb, such as `run maze`, word by word.
        options: what it takes.
        shared: what stands directly under `[tool.sealegs]`.

    Raises:
        UserError: a key is not an option of the verb, or its value is of a form that the option does not take.
    """
    place = f"[{'.'.join(('tool.sealegs', *path))}]"
    by_key = {option.key: option for option in options}
    found = {by_key[key].name: value for key, value in shared.items() if key in SHARED and key in by_key}
    for key, value in settings.items():
        option = by_key.get(key) or by_key.get(key.replace("_", "-")) or _singular(by_key, key, value)
        if option is None:
            raise UserError(f"{FILE}: {place} has an unknown key {key!r}; {_hint(key, sorted(by_key))}")
        found[option.name] = _checked(option, key, value, place, by_key)
    return found


def _checked(option: VerbOption, key: str, value: Any, place: str, by_key: Mapping[str, VerbOption]) -> Any:
    if isinstance(value, list) and not option.several:
        one = by_key.get(key.removesuffix("s"))
        hint = f"{one.key} takes a list" if one is not None and one.several else "give one value"
        raise UserError(f"{FILE}: {key} in {place} is a list, and takes one value; {hint}")
    if isinstance(value, Mapping):
        raise UserError(f"{FILE}: {key} in {place} is a table; give a value")
    if option.switch and not isinstance(value, bool):
        raise UserError(f"{FILE}: {key} in {place} is {value!r:.60}; give true or false")
    if option.several:
        return list(value) if isinstance(value, list) else [value]
    # As text, so that the command line checks it as if it had been typed.
    return value if option.switch else str(value)


def _singular(by_key: Mapping[str, VerbOption], key: str, value: Any) -> VerbOption | None:
    """`contracts` for `contract`, where it takes a list and one is given."""
    option = by_key.get(key.removesuffix("s"))
    return option if option is not None and option.several and isinstance(value, list) else None


def _hint(key: str, known: Iterable[str]) -> str:
    names = list(known)
    near = get_close_matches(key, names, n=1)
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(names)}"
