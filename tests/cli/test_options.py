"""Options of all verbs: one name for one idea, so an option of a name takes the same kind of value everywhere."""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from sealegs import cli
from sealegs.cli import VERBS, VerbModules
from sealegs.cli.verbs import check
from sealegs.cli.verbs import test as experiment_verb
from sealegs.experiments.check_options import CheckOptions
from sealegs.experiments.experiment_options import ExperimentOptions


def options() -> Iterator[tuple[str, str, Any]]:
    """The verb, the name and the declaration of every option."""

    def walk(command: Any, path: str) -> Iterator[tuple[str, str, Any]]:
        if hasattr(command, "list_commands"):
            context = typer.Context(command)
            for name in command.list_commands(context):
                yield from walk(command.get_command(context, name), f"{path} {name}")
            return
        for one in command.params:
            if one.param_type_name == "option" and one.name != "help":
                long = [word for word in one.opts if word.startswith("--")]
                yield path, (long or one.opts)[0], one

    for verb in VERBS:
        yield from walk(VerbModules()[verb], verb)


def kind(option: Any) -> str:
    """What an option takes: nothing, as a switch, a number, or text."""
    if option.is_flag:
        return "switch"
    described = getattr(option, "type_descriptor", None)  # of newer Typers
    name = option.type.name if described is None else str(described.annotation)
    return "number" if re.search(r"\b(int|integer|float)\b", name) else "text"


def test_an_option_takes_the_same_kind_of_value_in_all_verbs() -> None:
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for verb, name, option in options():
        found[name][kind(option)].append(verb)
    assert len(found) > 150
    assert not {name: dict(kinds) for name, kinds in found.items() if len(kinds) > 1}


def test_every_option_has_a_long_name() -> None:
    assert not [(verb, name) for verb, name, _ in options() if not name.startswith("--")]


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("--seed", "^Decides .+"),
        ("--limit", "^At most this many "),
        ("--json", "^Write .+ to this file, or - for standard output\\."),
        ("--time-limit", "^Real seconds .+"),
        ("--timeout", "seconds .*(until|after which) .*call .*is given up\\."),
    ],
)
def test_what_is_one_idea_is_said_in_one_way(name: str, form: str) -> None:
    helps = {verb: option.help for verb, found, option in options() if found == name}
    assert len(helps) > 3
    assert not {verb: text for verb, text in helps.items() if not re.search(form, text, re.IGNORECASE)}


def test_an_engine_is_what_plays_a_suite() -> None:
    helps = {verb: option.help for verb, found, option in options() if found == "--engine"}
    assert {verb.split()[0] for verb in helps} == {"run"}
    assert all(text.startswith("auto, inspect, or for scripted agents direct") for text in helps.values())


def test_repeatable_options_say_so_in_one_word() -> None:
    texts = [(verb, name, option.help or "", option.multiple) for verb, name, option in options()]
    assert sum(multiple for *_, multiple in texts) > 15
    assert not [found for found in texts if found[2].endswith(" Repeatable.") != found[3]]
    assert not [found for found in texts if re.search("(?i)(may|can) be (repeated|given)|given again", found[2])]


@pytest.mark.parametrize(
    ("command", "model"), [(experiment_verb.run_experiment, ExperimentOptions), (check.check_agent, CheckOptions)]
)
def test_experiments_take_the_options_of_their_model(command: Any, model: type[ExperimentOptions]) -> None:
    """The verbs declare no field of the model again but `agent`, `plan` and `inputs`, which take files and names."""
    code = command.__code__
    declared = {*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]}
    taken = inspect.signature(command).parameters
    assert declared & {*model.model_fields} <= {"agent", "plan", "inputs"}
    assert {"check", "fail_under", "seed", "max_calls", "timeout", "time_limit", "clock"} <= {*taken}


def test_each_file_with_an_app_is_a_verb() -> None:
    folder = Path(cli.__file__).parent
    found = {file for file in folder.rglob("*.py") if re.search(r"^app = ", file.read_text("utf-8"), re.MULTILINE)}
    assert found - {folder / "__init__.py"} == {folder / "verbs" / f"{module}.py" for module in VERBS.values()}
