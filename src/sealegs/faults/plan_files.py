"""Plans from files and from data. All mistakes are found in one go and reported together.

YAML is read as data only, by unsurprising rules: `no`, `on`, `12:30` and `2026-01-05` are text, true and
false are the only truth values, and a key that appears twice is a mistake.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from sealegs.faults.any_fault import IMPORTS
from sealegs.faults.plan import TANGLED, Plan, automatic_id, rule_conflicts
from sealegs.faults.problems import PlanError, Problem, abbreviate

if TYPE_CHECKING:
    import yaml

WRITTEN_OUT = 1_000_000  # values of a document in which each alias is written out


def read_plan(path: str | Path) -> Plan:
    """The plan in a file: JSON where its name ends in `.json`, else YAML.

    Raises:
        PlanError: the file cannot be read, or is not a plan. Holds every mistake.
    """
    source = Path(path)
    text = _text(source)
    data, problems = _from_json(text) if source.suffix.lower() == ".json" else _from_yaml(text)
    if problems and data is None:
        raise PlanError(problems, str(source))
    try:
        plan = plan_from(data)
    except PlanError as error:
        raise PlanError([*problems, *error.problems], str(source)) from None
    if problems:
        raise PlanError(problems, str(source))
    return plan


def plan_from_text(text: str, *, imports: bool = True) -> Plan:
    """The plan in a text of YAML, or of JSON, which is YAML too; for `imports` see `plan_from`.

    Raises:
        PlanError: it is not a plan. Holds every mistake.
    """
    data, problems = _from_yaml(text)
    if problems and data is None:
        raise PlanError(problems)
    try:
        plan = plan_from(data, imports=imports)
    except PlanError as error:
        raise PlanError([*problems, *error.problems]) from None
    if problems:
        raise PlanError(problems)
    return plan


def read_data_file(path: str | Path) -> Any:
    """The data in a file that people write by the rules of plans: JSON where its name ends in `.json`, else YAML.

    Raises:
        PlanError: the file cannot be read. Holds every mistake of its form.
    """
    source = Path(path)
    text = _text(source)
    data, problems = _from_json(text) if source.suffix.lower() == ".json" else _from_yaml(text)
    if problems:
        raise PlanError(problems, str(source))
    return data


def plan_from(data: Any, *, imports: bool = True) -> Plan:
    """The plan that this data describes.

    Args:
        data: what a plan's file holds.
        imports: whether modules may be imported that it names as kinds of fault (`kind: module:Class`). Say no to data
            that others send.

    Raises:
        PlanError: it describes none. Holds every mistake.
    """
    if data is None:
        raise PlanError([Problem("plan", "", "is empty", "Give at least a `name`; see docs/plans.md for the rest.")])
    try:
        return Plan.model_validate(data, context={IMPORTS: imports})
    except ValidationError as error:
        from sealegs.faults.error_wording import problem_from_error

        found = [problem_from_error(item, data) for item in error.errors(include_url=False) if item["type"] != TANGLED]
    problems = [*(problem for problem in found if problem is not None), *_tangles(data)]
    raise PlanError(dict.fromkeys(problems))


def _tangles(data: Any) -> list[Problem]:
    """Conflicts between the rules of a plan, reported even where single rules are wrong too."""
    rules = data.get("rules") if isinstance(data, Mapping) else None
    if not isinstance(rules, (list, tuple)):
        return []
    read = [rule if isinstance(rule, Mapping) else {} for rule in rules]
    ids = [_name(rule.get("id")) or automatic_id(index) for index, rule in enumerate(read)]
    return rule_conflicts([(id, _name(rule.get("after"))) for id, rule in zip(ids, read, strict=True)])


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _text(source: Path) -> str:
    try:
        return source.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        names = sorted(other.name for other in source.parent.iterdir()) if source.parent.is_dir() else []
        near = difflib.get_close_matches(source.name, names, n=1)
        problem = Problem("file", "", "does not exist", f"Did you mean {near[0]}?" if near else "Check its name.")
    except UnicodeDecodeError as error:
        problem = Problem("file", "", f"is not UTF-8 text (byte {error.start})", "Save it as UTF-8.")
    except OSError as error:
        problem = Problem("file", "", f"cannot be read ({error.strerror})", "Give the name of a readable file.")
    raise PlanError([problem], str(source))


def _from_json(text: str) -> tuple[Any, list[Problem]]:
    twice: list[Problem] = []

    def paired(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                twice.append(_twice("file", key))
            seen.add(key)
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=paired), twice
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        return None, [
            Problem(place, "", f"is not valid JSON ({error.msg})", "Correct the syntax there or just before.")
        ]
    except ValueError:  # of thousands of digits
        return None, [Problem("file", "", "holds a whole number that is too long to read", "Write it in fewer digits.")]
    except RecursionError:
        return None, [_too_deep()]


def _from_yaml(text: str) -> tuple[Any, list[Problem]]:
    """The data of a text, read in C where PyYAML brings that; what is wrong is said by its reader in Python."""
    import yaml

    fast = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    if fast is not yaml.SafeLoader:
        try:
            return _composed(text, fast)
        except UnicodeEncodeError:  # half of a surrogate pair
            pass
        except yaml.YAMLError as error:
            if getattr(error, "problem", "") == "exceeded maximum nesting depth":  # which takes seconds in Python
                return None, [_too_deep()]
        except RecursionError:
            return None, [_too_deep()]
    try:
        return _composed(text, yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = "file" if mark is None else _place(mark)
        problem = Problem(place, "", f"is not valid YAML ({error.problem})", "Correct the syntax there or just before.")
    except yaml.YAMLError as error:
        reason = getattr(error, "reason", "unreadable")
        problem = Problem("file", "", f"is not valid YAML ({reason})", "Remove everything that is not text.")
    except (ValueError, OverflowError):  # of `chr`
        wrong = "is not valid YAML (an escape that is not a character)"
        problem = Problem("file", "", wrong, "Write \\u and \\U with the number of a character.")
    except RecursionError:
        problem = _too_deep()
    return None, [problem]


def _composed(text: str, base: Any) -> tuple[Any, list[Problem]]:
    loader = _loader(base)(text)
    try:
        node = loader.get_single_node()
        if "*" in text and node is not None and _written_out(node, {}) > WRITTEN_OUT:
            wrong = f"is more than {WRITTEN_OUT:,} values once its aliases are written out"
            return None, [Problem("file", "", wrong, "Use fewer aliases (`*name`).")]
        data = None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()
    return (None if loader.unreadable else data), [*loader.unreadable, *loader.twice]


def _written_out(node: yaml.Node, sizes: dict[int, int]) -> int:
    """The number of a node's values with its aliases written out; a node within itself counts once."""
    if id(node) in sizes:
        return sizes[id(node)]
    sizes[id(node)] = 1
    if isinstance(node.value, list):
        inner = (one for item in node.value for one in (item if isinstance(item, tuple) else (item,)))
        sizes[id(node)] += sum(_written_out(one, sizes) for one in inner)
    return sizes[id(node)]


def _twice(place: str, key: Any) -> Problem:
    return Problem(place, abbreviate(key), "appears twice in one object", "Keep one of the two.")


def _place(mark: yaml.Mark) -> str:
    return f"line {mark.line + 1}, column {mark.column + 1}"


def _too_deep() -> Problem:
    return Problem("file", "", "is nested too deeply", "Write it with fewer levels.")


@cache
def _loader(base: Any) -> Any:
    """One of PyYAML's safe loaders with fewer implicit types, and an eye for keys that appear twice."""
    import yaml

    class Loader(base):  # type: ignore[misc]
        def __init__(self, text: str) -> None:
            super().__init__(text)
            self.twice: list[Problem] = []
            self.unreadable: list[Problem] = []

        def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
            try:
                return super().construct_object(node, deep)
            except (ValueError, LookupError, AttributeError):  # of a number of 5,000 digits, of `!!int word`
                if not isinstance(node, yaml.ScalarNode):
                    raise
                kind = node.tag.rpartition(":")[2]
                wrong, remedy = f"cannot be read as !!{kind}", "Write another value, or put it in quotes."
                self.unreadable.append(Problem(_place(node.start_mark), abbreviate(node.value), wrong, remedy))
                return None

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:
            # PyYAML itself keeps the last of two equal keys and says nothing.
            seen: set[str] = set()
            for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():  # `!!map [a]` is a list
                if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                    if key.value in seen:
                        self.twice.append(_twice(_place(key.start_mark), key.value))
                    seen.add(key.value)
            return super().construct_mapping(node, deep)

    # Only the types of JSON: YAML 1.1 also makes `no` false, 1:30 a number and 2026-11-01 a date.
    Loader.yaml_implicit_resolvers = {}
    for tag, pattern, starts in (
        ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
        ("int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
        (
            "float",
            r"[-+]?(?:[0-9]+\.[0-9]*(?:[eE][-+][0-9]+)?|\.[0-9]+(?:[eE][-+][0-9]+)?|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN)",
            "-+.0123456789",
        ),
        ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
        ("merge", r"<<", "<"),
    ):
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(rf"^(?:{pattern})$"), list(starts))
    return Loader
