"""The operations of an OpenAPI description as tools: their names, the arguments in their paths, what they answer.

Read are 3.0 and 3.1; references within the file are followed. References to other files, `callbacks`, `webhooks`, and a
server whose base path is a variable without a default are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from sealegs.adapters.wire import http_tool_spec
from sealegs.faults.plan_files import read_data_file
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
OWN = frozenset(("path", "query", "body"))  # arguments of every request
DEEPEST = 24  # levels of references and objects that are kept
MOST = 20_000  # parts of one schema that are kept
UNWANTED = frozenset(("nullable", "discriminator", "xml", "externalDocs", "example", "examples"))  # no JSON Schema
BY_NAME = frozenset(("properties", "patternProperties", "$defs"))  # what holds schemas by names of the user's own
PARAMETER = re.compile(r"\{([^{}/]+)\}")
Data = Mapping[str, Any]


@dataclass(frozen=True)
class Operation:
    """One operation.

    Attributes:
        method: its method, in capitals.
        template: its path, with the names of parameters in braces.
        pattern: what paths of it look like, by the number of each parameter.
        parameters: the names of its path's parameters, each with the type of its schema.
        spec: what is known of it as a tool.
    """

    method: str
    template: str
    pattern: re.Pattern[str]
    parameters: tuple[tuple[str, str], ...]
    spec: ToolSpec

    def arguments(self, raw_path: str) -> dict[str, Any] | None:
        """Read the arguments of a path that is not decoded yet; None if the path is not this operation's."""
        found = self.pattern.fullmatch(raw_path)
        if found is None:
            return None
        pairs = zip(self.parameters, found.groups(), strict=True)
        return {name: _typed(unquote(text), kind) for (name, kind), text in pairs if name not in OWN}

    def path_with(self, values: Mapping[str, Any], raw_path: str) -> str:
        """A path of this operation with other arguments in it, else as in this one."""
        found = self.pattern.fullmatch(raw_path)
        texts = iter(() if found is None else found.groups())

        def put(one: re.Match[str]) -> str:
            as_before = next(texts, "")
            return quote(_text(values[one[1]]), safe="") if one[1] in values else as_before

        return PARAMETER.sub(put, self.template)


class Operations:
    """The operations of a server.

    Args:
        known: all of them; where several fit a path, the one with the fewest parameters does.
    """

    def __init__(self, known: Iterable[Operation]) -> None:
        self._known = sorted(known, key=lambda one: len(one.parameters))

    @property
    def specs(self) -> list[ToolSpec]:
        """The specs of the operations as tools."""
        return [one.spec for one in self._known]

    def match(self, method: str, raw_path: str) -> tuple[Operation, dict[str, Any]] | None:
        """The operation that a request asks for, and the arguments in its path; None where it is not described."""
        for one in self._known:
            if one.method == method and (arguments := one.arguments(raw_path)) is not None:
                return one, arguments
        return None


NO_OPERATIONS = Operations(())


def read_operations(file: Path, host: str) -> Operations:
    """The operations that a file describes.

    Args:
        file: OpenAPI in YAML or JSON.
        host: the server's host, which is part of the name of an operation without an id.

    Raises:
        PlanError: the file cannot be read.
        UserError: it describes no operations that can be distinguished.
    """
    data = read_data_file(file)
    version = str(data.get("openapi", "")) if isinstance(data, Mapping) else ""
    if not version.startswith("3."):
        was = f"openapi {version!r}" if version else "no `openapi` version"
        raise UserError(f"--openapi {file}: {was}; give a description of OpenAPI 3.0 or 3.1")
    try:
        found = list(_described(data, host))
    # Lists where objects should be, names that are not text: there are as many ways as there are parts.
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise UserError(
            f"--openapi {file}: it does not follow OpenAPI ({reason}); check it with a validator"
        ) from error
    if not found:
        raise UserError(f"--openapi {file}: it describes no operation under `paths`; name a file that does")
    names: dict[str, Operation] = {}
    for one in found:
        other = names.setdefault(one.spec.name, one)
        if (other.method, other.template) != (one.method, one.template):
            both = f"{other.method} {other.template} and {one.method} {one.template}"
            raise UserError(f"--openapi {file}: operationId {one.spec.name!r} is that of {both}; give each its own")
    return Operations(found)


def _described(data: Data, host: str) -> Iterator[Operation]:
    paths = data.get("paths")
    for path, item in (paths if isinstance(paths, Mapping) else {}).items():
        item = _followed(item, data)
        for method in METHODS:
            described = item.get(method)
            if isinstance(described, Mapping):
                servers = described.get("servers") or item.get("servers") or data.get("servers") or [{}]
                for base in dict.fromkeys(map(_base, servers)):
                    yield _operation(method.upper(), f"{base}{path}", item, described, data, host)


def _operation(method: str, template: str, item: Data, described: Data, data: Data, host: str) -> Operation:
    # Those of the path first: a parameter of the operation with the same name takes its place below.
    given = [_followed(one, data) for one in (*(item.get("parameters") or ()), *(described.get("parameters") or ()))]
    schemas = {one["name"]: _schema(one.get("schema"), data) for one in given if one.get("in") == "path"}
    names = PARAMETER.findall(template)
    pattern = re.compile("([^/]+)".join(re.escape(part) for part in PARAMETER.split(template)[::2]))
    kinds = tuple((name, str(schemas.get(name, {}).get("type", "string"))) for name in names)
    own = {name: schemas.get(name, {"type": "string"}) for name in names if name not in OWN}
    name = str(described.get("operationId") or f"{method} {host}{template}")
    spec = replace(
        http_tool_spec(name, [method]),
        description=str(described.get("summary") or described.get("description") or ""),
        parameters={"type": "object", "properties": own},
        returns=_returned(described, data),
        tags=frozenset(map(str, described.get("tags") or ())),
    )
    return Operation(method, template, pattern, kinds, spec)


def _returned(described: Data, data: Data) -> Data:
    """The schema of the JSON that an operation answers with when all is well; empty where it is not described."""
    answers = described.get("responses") or {}
    right = sorted(str(status) for status in answers if str(status).startswith("2"))
    for status in (*right, "default"):
        # YAML reads an unquoted 200 as a number.
        answer = _followed(answers.get(status, answers.get(int(status) if status.isdigit() else status)), data)
        for kind, content in (answer.get("content") or {}).items():
            if "json" in kind and isinstance(content, Mapping):
                return _schema(content.get("schema"), data)
    return {}


def _base(server: Any) -> str:
    """The path that comes before those of a server."""
    given = server if isinstance(server, Mapping) else {}
    variables = {name: one.get("default", "") for name, one in (given.get("variables") or {}).items()}
    url = PARAMETER.sub(lambda found: str(variables.get(found[1], "")), str(given.get("url", "")))
    return urlsplit(url).path.rstrip("/")


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _typed(text: str, kind: str) -> Any:
    if kind == "integer" and re.fullmatch(r"-?\d{1,18}", text):
        return int(text)
    if kind == "number" and re.fullmatch(r"-?\d{1,18}(\.\d{1,18})?", text):
        return float(text) if "." in text else int(text)
    return text == "true" if kind == "boolean" and text in ("true", "false") else text


def _followed(value: Any, data: Data) -> Data:
    """An object, or the one that it refers to; empty where there is none."""
    for _ in range(DEEPEST):
        if not isinstance(value, Mapping) or "$ref" not in value:
            break
        value = _referred(str(value["$ref"]), data)
    return value if isinstance(value, Mapping) else {}


def _referred(reference: str, data: Data) -> Any:
    if not reference.startswith("#/"):
        return {}
    found: Any = data
    for part in reference[2:].split("/"):
        name = unquote(part).replace("~1", "/").replace("~0", "~")
        found = found.get(name, {}) if isinstance(found, Mapping) else {}
    return found


def _schema(value: Any, data: Data) -> Data:
    """A schema as JSON Schema without references; what refers to itself is left open."""
    left = [MOST]

    def written(part: Any, depth: int, inside: tuple[str, ...]) -> Any:
        left[0] -= 1
        # References that share parts can unfold into more than memory holds, though none of them is a circle: hence a
        # budget besides the depth.
        if depth > DEEPEST or left[0] < 0:
            return {} if isinstance(part, Mapping) else part
        if isinstance(part, list):
            return [written(one, depth + 1, inside) for one in part]
        if not isinstance(part, Mapping):
            return part
        reference = part.get("$ref")
        if isinstance(reference, str):
            # It refers to itself, which a schema without references cannot say.
            if reference in inside:
                return {}
            return written(_referred(reference, data), depth + 1, (*inside, reference))
        plain: dict[str, Any] = {}
        for name, one in part.items():
            if name in BY_NAME and isinstance(one, Mapping):
                plain[name] = {str(key): written(inner, depth + 1, inside) for key, inner in one.items()}
            elif name not in UNWANTED:
                plain[str(name)] = written(one, depth + 1, inside)
        # OpenAPI 3.0's form; 3.1 is JSON Schema and has the list.
        if part.get("nullable") is True and isinstance(plain.get("type"), str):
            plain["type"] = [plain["type"], "null"]
        for bound in ("Minimum", "Maximum"):  # 3.0 says so by true and false
            if isinstance(plain.get(f"exclusive{bound}"), bool):
                limit = plain.pop(bound.lower(), None) if plain.pop(f"exclusive{bound}") else None
                plain |= {} if limit is None else {f"exclusive{bound}": limit}
        return plain

    found = written(value, 0, ())
    return found if isinstance(found, dict) else {}
