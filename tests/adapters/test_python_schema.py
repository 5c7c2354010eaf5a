"""What a function's signature says of its arguments, and what recovery mends by it."""

from __future__ import annotations

import enum
import functools
import typing  # noqa: F401
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional, Union  # noqa: F401  # named in annotations

import pytest

from sealegs import Recorder, Session, VirtualClock, wrap
from sealegs.adapters.python.parameters import Parameters
from sealegs.faults.equal import arguments_key
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.policies import MendArguments
from sealegs.traces import build_record

if TYPE_CHECKING:
    from decimal import Decimal  # noqa: F401  # named in annotations, and not there when they are read

TEXT = {"type": ["string"]}


class Speed(str, enum.Enum):  # noqa: UP042  # as older code has it
    FAST = "fast"
    SLOW = "slow"


class Colour(enum.Enum):
    RED = "red"


class Loud(type):
    """A class of which nothing may be asked while a function is wrapped."""

    def __eq__(cls, other: object) -> bool:
        raise RuntimeError("asked")

    def __hash__(cls) -> int:
        raise RuntimeError("asked")


class Odd(metaclass=Loud):
    pass


ANNOTATIONS: list[tuple[Any, dict[str, Any]]] = [
    ("str", TEXT),
    (str, TEXT),
    ("int", {"type": "integer"}),
    ("float", {"type": "number"}),
    ("bool", {"type": "boolean"}),
    ("None", {"type": "null"}),
    ("dict", {"type": "object"}),
    ("dict[str, int]", {"type": "object"}),
    ("list", {"type": "array"}),
    ("list[str]", {"type": "array", "items": TEXT}),
    (list[str], {"type": "array", "items": TEXT}),
    ("list[Decimal]", {}),
    ("typing.List[int]", {"type": "array", "items": {"type": "integer"}}),
    ("float | None", {"anyOf": [{"type": "number"}, {"type": "null"}]}),
    (float | None, {"anyOf": [{"type": "number"}, {"type": "null"}]}),
    ("Optional[int]", {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),  # noqa: UP045
    ("Union[int, str]", {"anyOf": [{"type": "integer"}, TEXT]}),
    ("typing.Union[int, Any]", {}),
    ("int | Any", {}),
    ("Literal['a', 1, None]", {"enum": ["a", 1, None]}),
    (Literal["a", 1], {"enum": ["a", 1]}),
    ("Annotated[int, print('run')]", {"type": "integer"}),
    (Annotated[int, "of cents"], {"type": "integer"}),
    ("'int'", {"type": "integer"}),
    ("Speed", {"enum": ["fast", "slow"]}),
    (Speed, {"enum": ["fast", "slow"]}),
    ("Colour", {}),
    ("Any", {}),
    ("Decimal", {}),
    ("Parameters", {}),
    ("print('run')", {}),
    ("no annotation", {}),
    ("lost.Thing", {}),
    (Odd, {}),
    (5, {}),
    ([], {}),
]


@pytest.mark.parametrize(("annotation", "schema"), ANNOTATIONS, ids=repr)
def test_what_an_annotation_allows(annotation: Any, schema: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    def tool(one: Any) -> None: ...

    tool.__annotations__["one"] = annotation
    assert Parameters(tool).schema["properties"] == {"one": schema}
    assert capsys.readouterr().out == ""  # nothing was run


def test_a_name_of_the_module_hides_that_of_python() -> None:
    names: dict[str, Any] = {"int": Colour, "__name__": "other"}
    exec("def tool(one: 'int', two: 'list[int]'): ...", names)
    assert Parameters(names["tool"]).schema["properties"] == {"one": {}, "two": {"type": "array"}}


def pay(amount: float, to: str, memo: str = "", tags: list[str] = [], at: str = None) -> Any:  # type: ignore[assignment]  # noqa: B006, RUF013
    return amount, to, memo


def test_what_must_be_given_and_no_more_may_be() -> None:
    assert Parameters(pay).schema == {
        "type": "object",
        "properties": {
            "amount": {"type": "number"},
            "to": TEXT,
            "memo": {**TEXT, "default": ""},
            "tags": {"type": "array", "items": TEXT},
            "at": {"anyOf": [TEXT, {"type": "null"}], "default": None},
        },
        "required": ["amount", "to"],
        "additionalProperties": False,
    }


def test_a_function_that_takes_more_says_so() -> None:
    def several(first: int, *rest: int) -> None: ...
    def named(first: int, **rest: int) -> None: ...

    assert Parameters(named).schema == {}
    assert Parameters(several).schema == {
        "type": "object",
        "properties": {"first": {"type": "integer"}},
        "required": ["first"],
    }


class Till:
    def pay(self, amount: float) -> float:
        return amount

    def __call__(self, amount: float) -> float:
        return amount


@functools.wraps(Till.pay)
def passed_on(*args: Any, **kwargs: Any) -> Any: ...


@pytest.mark.parametrize(
    "function",
    [Till().pay, Till.pay, Till(), functools.partial(pay, to="Bob"), passed_on],
    ids=lambda one: repr(one)[:20],
)
def test_each_form_of_callable(function: Callable[..., Any]) -> None:
    schema = Parameters(function).schema
    assert schema["properties"]["amount"] == {"type": "number"}
    assert schema["required"] == ["amount"]


def test_an_annotation_does_not_change_what_draws_are_named_by() -> None:
    """Python checks no annotation, so 5 and "5" go on asking for the same."""
    spec = ToolSpec("pay", parameters=Parameters(pay).schema)
    bare = ToolSpec("pay", parameters={"properties": {"memo": {"default": ""}, "at": {"default": None}}})
    for given in ({"to": 5}, {"to": "5"}, {"to": "5.0", "memo": ""}, {"to": "1.10", "at": None}, {"tags": []}):
        assert arguments_key(given, spec) == arguments_key(given, bare)
    assert arguments_key({"to": 5}, spec) == arguments_key({"to": "5"}, spec)


@pytest.mark.parametrize("name", ["parse_json", "read_partial", "no_such_thing", "reset_timeout"])
def test_the_name_of_a_function_does_not_hide_why_it_was_refused(name: str) -> None:
    names: dict[str, Any] = {}
    exec(f"def {name}(path): return path", names)
    assert called(names[name], {}, pathh="a") == ("a", ["mend_arguments"])
    assert called(names[name], {}) == ("TypeError", [])  # nothing is made up


def called(function: Callable[..., Any], declared: dict[str, Any], *args: Any, **kwargs: Any) -> tuple[Any, list[str]]:
    """What a call comes to, and the runs of the tool that the layer made."""
    recorder = Recorder(VirtualClock())
    recorder.start("episode", {})
    session = Session(layers=[RecoveryLayer(MendArguments())], clock=VirtualClock(), watcher=recorder)
    tool = wrap(function, session, name="pay", **declared)
    try:
        found = tool(*args, **kwargs)
    except (TypeError, ValueError) as error:
        found = type(error).__name__
    recorder.finish("answered")
    return found, [turn.by for turn in build_record(recorder.events).turns if turn.by]


def strict(amount: float, to: str = "Ann") -> Any:
    if type(amount) is not float:
        raise TypeError("amount is not of type number")
    return amount, to


@pytest.mark.parametrize("declared", [{}, {"effects": True}, {"effects": False}], ids=str)
@pytest.mark.parametrize("given", [{"amuont": 5.0, "to": "Bob"}, {"Amount": "5.0", "to": "Bob"}], ids=str)
def test_arguments_that_python_refused_are_mended(declared: dict[str, Any], given: dict[str, Any]) -> None:
    assert called(strict, declared, **given) == ((5.0, "Bob"), ["mend_arguments"])


def test_a_function_that_has_begun_is_called_again_only_if_it_changes_nothing() -> None:
    assert called(strict, {"effects": False}, "5.0", "Bob") == ((5.0, "Bob"), ["mend_arguments"])
    for declared in ({}, {"effects": True}):
        assert called(strict, declared, "5.0", "Bob") == ("TypeError", [])


def test_what_passes_is_as_it_was_given() -> None:
    def lenient(amount: int, to: Speed, **more: Any) -> Any:
        return amount, to

    assert called(lenient, {}, "5", "Fast") == (("5", "Fast"), [])
    assert called(pay, {}, "5", to=7) == (("5", 7, ""), [])


def test_what_is_no_json_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    def of_texts(one: str, two: object) -> Any:
        return one, two

    thing = object()
    assert called(of_texts, {}, one="a", twoo=thing) == (("a", thing), ["mend_arguments"])
    assert called(of_texts, {}, one=thing, twoo="a") == ("TypeError", [])
    assert "mend_arguments" not in caplog.text  # the policy has not crashed
