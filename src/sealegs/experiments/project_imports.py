"""Tools that a project's modules list and other modules of it define.

`from tools import find, pay` and `TOOLS = [find, pay]` make both tools of the module `tools`, where the glue puts them
under the session before the module that lists them takes them. Names that are imported with `*`, or put together while
the program runs, are not found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sealegs.experiments.project_modules import Imported, ProjectModule

FURTHEST = 5  # imports from one module to the next, as packages give names of theirs on


def with_borrowed_tools(modules: Iterable[ProjectModule]) -> tuple[ProjectModule, ...]:
    """The modules, each with those of its functions that another one lists as tools."""
    known = {import_name(module): module for module in modules}
    declared = any(module.decorated or module.borrowed for module in known.values())
    for module in list(known.values()):
        for one in module.borrowed if declared else module.called:
            owner, name = _defined(one, known)
            if owner is not None and name not in (*owner.listed, *owner.decorated.values()):
                found = known[import_name(owner)]
                known[import_name(owner)] = replace(found, listed=tuple(dict.fromkeys((*found.listed, name))))
    return tuple(known.values())


def in_import_order(modules: Iterable[ProjectModule]) -> list[ProjectModule]:
    """The modules, each after those of them that it imports; as they are given where they import one another."""
    left = {import_name(module): module for module in modules}
    found: list[ProjectModule] = []
    while left:
        free = [name for name, module in left.items() if not _needs(module, set(left) - {name})]
        found.append(left.pop(free[0] if free else next(iter(left))))
    return found


def _needs(module: ProjectModule, others: set[str]) -> set[str]:
    sources = {one for source, name in module.imported.values() for one in (source, f"{source}.{name}")}
    return {one.removeprefix("src.") for one in sources} & others


def import_name(module: ProjectModule) -> str:
    """The name that a module is imported by; those in `src` are imported without it."""
    return module.name.removeprefix("src.")


def _defined(named: Imported, known: Mapping[str, ProjectModule]) -> tuple[ProjectModule | None, str]:
    """The module that defines the function of this name; None where none of the project does."""
    source, name = named
    for _ in range(FURTHEST):
        module = known.get(source.removeprefix("src."))
        if module is None:
            return None, name
        if name in module.functions:
            return module, name
        if name not in module.imported:
            return None, name
        source, name = module.imported[name]
    return None, name
