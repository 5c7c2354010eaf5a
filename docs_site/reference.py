"""Pages of the documentation that are made from the code, so that they cannot differ from it.

`PAGES` maps the place of each page on the site to the function that writes its Markdown: the command from Typer's own
generator, the fault kinds and the plan's schema from the models, the Python interface from what `sealegs` exports. What
it does not cover: explanations; these are the pages in `docs/`.
"""

from __future__ import annotations

import inspect
import json
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import sealegs
from sealegs.faults.corruption import Corruption
from sealegs.faults.kinds import KINDS, Fault


def command() -> str:
    """Every command with its arguments and options, as Typer writes them."""
    import typer.main
    from typer.cli import get_docs_for_click

    from sealegs.cli import app
    from sealegs.cli.shared_options import CommandOnSuites

    group: Any = typer.main.get_command(app)
    for one in _commands(group):
        if isinstance(one, CommandOnSuites):
            one.name_suites()
        one.short_help = (one.help or "").partition("\n\n")[0].replace("\n", " ")  # else it is cut after some words
    text = get_docs_for_click(
        obj=group,
        ctx=group.context_class(group, info_name="sealegs"),
        name="sealegs",
        title="The command `sealegs`",
    )
    return f"{text.strip()}\n"


def _commands(group: Any) -> Iterator[Any]:
    yield group
    for name in group.list_commands(None) if hasattr(group, "list_commands") else ():
        yield from _commands(group.get_command(None, name))


def kinds(*, implicit: bool) -> list[str]:
    """The names of the kinds that say that they failed, or of those that do not, in the order of the alphabet."""
    return sorted(name for name, kind in KINDS.items() if kind.implicit is implicit)


def faults() -> str:
    """Every kind of fault, with its first sentence and its moments."""
    explicit, implicit = kinds(implicit=False), kinds(implicit=True)
    return "\n".join(
        [
            "# Fault kinds",
            "",
            f"The {len(KINDS)} kinds of fault that a [plan](../plans.md) can name. A *moment* is the time at which a "
            "fault strikes a tool that has effects: before, during or after its work ([plans](../plans.md#moments)).",
            "",
            f"## Explicit: the agent sees that the call failed ({len(explicit)})",
            "",
            *_kind_table(explicit),
            "",
            f"## Implicit: the answer looks like data ({len(implicit)})",
            "",
            *_kind_table(implicit),
            "",
        ]
    )


def _kind_table(names: list[str]) -> Iterator[str]:
    yield "| kind | what happens | moments |"
    yield "|---|---|---|"
    for name in names:
        moments = ", ".join(f"`{moment}`" for moment in KINDS[name].moments)
        yield f"| [`{name}`]({name}.md) | {first_line(KINDS[name])} | {moments} |"


def kind_links() -> str:
    """The list of kinds on the page of plans: a link to the page of each, by what they are of."""
    verified = [name for name, kind in KINDS.items() if issubclass(kind, Corruption)]
    of_models = [name for name, kind in KINDS.items() if "model_api" in kind.needs]
    apart = {*verified, *of_models}
    groups = {
        "Explicit": [name for name in kinds(implicit=False) if name not in apart],
        "Implicit": [name for name in kinds(implicit=True) if name not in apart],
        "Implicit and verified to be detectable (the nine of ToolMaze, arXiv 2606.05806, table 3)": verified,
        "Of models (explicit or implicit; their pages say which)": of_models,
    }
    paragraphs = (
        f"{group}: {', '.join(f'[{name}](faults/{name}.md)' for name in names)}." for group, names in groups.items()
    )
    return "".join(f"\n{textwrap.fill(one, 120, break_on_hyphens=False)}\n" for one in paragraphs)


def first_line(kind: type[Fault]) -> str:
    """What a kind does, in the first sentence of its docstring."""
    return (inspect.getdoc(kind) or "").partition("\n\n")[0].replace("\n", " ")


def plan_schema() -> str:
    """Every object of a plan, with its fields, from the JSON Schema that `sealegs plan schema` prints."""
    from sealegs.faults.plan import plan_schema

    whole = plan_schema()
    objects = {"Plan": whole, **dict(sorted(whole["$defs"].items()))}
    head = [
        "# The plan's schema",
        "",
        "Every object that a plan may hold. `sealegs plan schema` prints the same as JSON Schema, for completion in an "
        "editor; [fault plans](../plans.md) explains how they work together.",
    ]
    return "\n".join([*head, *(line for name, one in objects.items() for line in _object(name, one, objects))]) + "\n"


def _object(name: str, schema: Mapping[str, Any], objects: Mapping[str, Any]) -> Iterator[str]:
    yield from ("", f"## {name}", "")
    if "description" in schema:
        yield from (schema["description"], "")
    if "properties" not in schema:
        yield from (f"One of {_type(schema, objects)}." if "oneOf" in schema else f"{_type(schema, objects)}.", "")
        return
    required = schema.get("required", ())
    yield from ("| field | type | default | meaning |", "|---|---|---|---|")
    for field, one in schema["properties"].items():
        default = "required" if field in required else f"`{json.dumps(one['default'])}`" if "default" in one else ""
        yield f"| `{field}` | {_type(one, objects)} | {default} | {one.get('description', '').replace(chr(10), ' ')} |"


def _type(schema: Mapping[str, Any], objects: Mapping[str, Any]) -> str:
    """What a value may be, in words, with links to the objects."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})" if name in objects else name
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(one)}`" for one in schema["enum"])
    for key in ("oneOf", "anyOf", "allOf"):
        if key in schema:
            return ", ".join(dict.fromkeys(_type(one, objects) for one in schema[key]))
    if schema.get("type") == "array":
        inner = schema.get("items", schema.get("prefixItems"))
        if isinstance(inner, list):
            return f"list of {', '.join(_type(one, objects) for one in inner)}"
        return f"list of {_type(inner, objects)}" if inner else "list"
    kind = schema.get("type", "any value")
    return ", ".join(kind) if isinstance(kind, list) else str(kind)


def python() -> str:
    """What `import sealegs` gives, with each docstring by mkdocstrings."""
    names = [name for name in sealegs.__all__ if not name.startswith("__")]
    head = [
        "# The Python interface",
        "",
        "What `import sealegs` gives. Each adapter has a module of its own, `sealegs.adapters.NAME` "
        "([adapters](../adapters.md)).",
    ]
    homes = {name: getattr(sealegs, name) for name in names}
    blocks = (
        f"\n::: {one.__module__}.{one.__qualname__}\n    options:\n      heading_level: 2" for one in homes.values()
    )
    return "\n".join([*head, *blocks]) + "\n"


PAGES: Mapping[str, Callable[[], str]] = {
    "reference/command.md": command,
    "reference/python.md": python,
    "reference/plan-schema.md": plan_schema,
    "faults/index.md": faults,
}
