"""Secrets taken out of records before anything is written: by schema, by name and by pattern.

What looks like a secret becomes `[redacted:DIGEST]`. The digest is keyed, so that equal values stay equal within a
folder and nobody can try values against it without the key. The key is in a file of the folder that only its owner
reads, or in the environment. Secrets that look like any other text are not found.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from sealegs.faults.spec import secret_fields
from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import write_atomically
from sealegs.traces.environment_names import REDACT, REDACT_NAMES, REDACTION_KEY
from sealegs.traces.secret_forms import NUMBERS, PLACES, SECRET_NAME, SECRET_NAMES, secrets_in

OWNER_ONLY = 0o600  # the mode of files that hold records
KEY_FILE = ".sealegs-redaction-key"
MARK = "[redacted:{}]"
MARKED = re.compile(r"\[redacted(?::[0-9a-f]{16})?\]")
DIGITS = 16
QUOTES = ("'", '"')
VALUES = ("const", "default", "enum", "example", "examples")  # parts of a schema that hold values
SECRET = "secret_fields"  # where a tool's declaration lists the fields that its schema declares to be secret
PAIRS = ({"name", "value"}, {"key", "value"})  # fields of what says a name and its value, among others
WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[-. ]+")  # where camel case begins a new word
Mark = Callable[[str], str]


class Redactor:
    """Takes secrets out of the data of events.

    Args:
        mark: what is written in place of a secret.
        names: further names of parameters that hold secrets.
    """

    def __init__(self, mark: Mark, names: Iterable[str] = ()) -> None:
        self._mark = mark
        self._names = {snake(name) for name in names}

    def redacted(self, value: Any, name: str = "", declared: frozenset[str] = frozenset()) -> Any:
        """JSON data without its secrets.

        Args:
            value: the data.
            name: of the field that holds it.
            declared: names that a schema declares to be secret.
        """
        if name and value is not None and not isinstance(value, bool):  # a flag such as `has_token` gives nothing away
            if name in declared:
                return self._whole(value, numbers=True)
            # `auth` alone is too common a name, so the value has to look like credentials as well.
            if isinstance(value, str) and snake(name) == "auth" and _is_basic(value):
                return self._whole(value)
            if self._secret(name) or (isinstance(value, (Mapping, list, tuple)) and self._secrets(name)):
                # Numbers count only for names like `pin`: a number called `token` is usually a count.
                return self._whole(value, numbers=NUMBERS.fullmatch(snake(name)) is not None)
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return self._fields(value, declared)
        if isinstance(value, (list, tuple)):
            # Headers and form fields are often lists of pairs.
            if len(value) == 2 and isinstance(value[0], str) and self._secret(value[0]):
                return [value[0], self._whole(value[1])]
            return [self.redacted(one, "", declared) for one in value]
        return value

    def description(self, value: Any, *, secret: bool = False) -> Any:
        """A description of tools without the secrets in its texts, and without values of fields that hold secrets.

        Args:
            value: the description, with JSON Schemas in it; the names of fields and all else stay.
            secret: whether what is described holds a secret.
        """
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, (list, tuple)):
            return [self.description(one, secret=secret) for one in value]
        if not isinstance(value, Mapping):
            return value
        # Both are JSON Schema's own words for what must not be shown.
        hidden = secret or value.get("format") == "password" or value.get("writeOnly") is True
        found = {}
        for name, one in value.items():
            if name == "properties" and isinstance(one, Mapping):
                found[name] = {key: self.description(of, secret=self._secret(str(key))) for key, of in one.items()}
            elif name in VALUES and hidden:
                found[name] = self._whole(one, numbers=True)
            else:
                found[name] = self.description(one, secret=secret)
        return found

    def _fields(self, value: Mapping[str, Any], declared: frozenset[str]) -> dict[str, Any]:
        # Keys are texts as well, and some services put a token there.
        found = {self._text(str(key)): self.redacted(one, str(key), declared) for key, one in value.items()}
        named = value.get("name", value.get("key"))
        if any(pair <= set(value) for pair in PAIRS) and isinstance(named, str) and self._secret(named):
            found["value"] = self._whole(value["value"])
        return found

    def _whole(self, value: Any, *, numbers: bool = False) -> Any:
        """Mark every text within, whatever it is; with `numbers`, every number, too."""
        if isinstance(value, str):
            # A mark is not marked again, so that redacting twice changes nothing.
            return value if not value or MARKED.fullmatch(value) else self._mark(value)
        if isinstance(value, Mapping):
            return {self._text(str(key)): self._whole(one, numbers=numbers) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._whole(one, numbers=numbers) for one in value]
        number = isinstance(value, (int, float)) and not isinstance(value, bool)  # a truth value gives nothing away
        return self._mark(repr(value)) if numbers and number else value

    def _text(self, value: str) -> str:
        """A text without what looks like a secret; one that is JSON stays JSON."""
        if len(value) < MARK_LEAST:
            return value
        # JSON in a text is read, since its field names say more than patterns do.
        if value.lstrip()[:1] in ("{", "["):
            try:
                data = json.loads(value)
                found = self.redacted(data)
            except (ValueError, RecursionError):
                pass
            else:
                # Unchanged data keeps its own spelling, which dumping it again would alter.
                return value if found == data else json.dumps(found, ensure_ascii=False)
        return pattern.sub(self._within, value) if (pattern := secrets_in(value)) else value

    def _secret(self, name: str) -> bool:
        plain = snake(name)
        return plain in self._names or bool(SECRET_NAME.fullmatch(plain) and not PLACES.fullmatch(plain))

    def _secrets(self, name: str) -> bool:
        return SECRET_NAMES.fullmatch(snake(name)) is not None

    def _within(self, found: re.Match[str]) -> str:
        group = next((name for name, text in found.groupdict().items() if text and name.startswith("secret")), None)
        secret, (start, end) = (found[group], found.span(group)) if group else (found[0], found.span())
        before = found[0][: start - found.start()]
        named = re.match(r"[\w-]+", before)
        # Marked before, or a page token: it says where a list continues and opens nothing.
        if MARKED.match(secret) or secret.startswith("[redacted") or (named and PLACES.fullmatch(snake(named[0]))):
            return found[0]
        # "basic" is a word of plain English, too: what follows it has to look like credentials.
        if (before[:5].lower() == "basic" or before[:1] in QUOTES) and not _is_basic(secret):
            return found[0]
        return before + self._mark(secret) + found[0][end - found.start() :]


# A shorter text is returned before any pattern runs.
MARK_LEAST = 7  # no pattern matches anything shorter


def _is_basic(text: str) -> bool:
    """Return whether a text is the credentials of HTTP's basic scheme."""
    try:
        return b":" in base64.b64decode(text, validate=True)
    except ValueError:
        return False


def snake(name: str) -> str:
    """A name in the form that names are compared in: `apiKey`, `API-Key` and `api_key` are one."""
    return WORD.sub("_", name).strip("_").lower()


def holds_marks(value: Any) -> bool:
    """Return whether secrets were taken out of the data."""
    if isinstance(value, str):
        return MARKED.search(value) is not None
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    return any(map(holds_marks, inner))


def declared_secrets(tools: Any) -> dict[str, frozenset[str]]:
    """The fields, by tool, that its schema or a list beside it declares to be secret."""
    described = [tool for tool in tools if isinstance(tool, Mapping)] if isinstance(tools, list) else []
    found = {
        str(tool.get("name")): frozenset((*secret_fields(tool.get("parameters")), *_listed(tool.get(SECRET))))
        for tool in described
    }
    return {tool: names for tool, names in found.items() if names}


def _listed(names: Any) -> list[str]:
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


R = TypeVar("R", bound=Redactor)


def redactor_for(
    folder: Path | None,
    environment: Mapping[str, str] = os.environ,
    kind: type[R] = Redactor,  # type: ignore[assignment]  # a default of a type variable comes with Python 3.13
) -> R | None:
    """A redactor that takes secrets out of the files of a folder; None if that is switched off.

    Args:
        folder: holds the key, which is made when a secret is first met; without one, digests differ in each process.
        environment: `SEALEGS_REDACT=off` switches it off, `SEALEGS_REDACT_NAMES` names further parameters, separated
            by commas, and `SEALEGS_REDACTION_KEY` is the key.
        kind: the redactor's class.

    Raises:
        UserError: `SEALEGS_REDACT` is neither `on` nor `off`.
    """
    wanted = environment.get(REDACT, "on")
    if wanted not in ("on", "off"):
        raise UserError(f"{REDACT} is {wanted!r}; give on, or off to write what looks like a secret as it is")
    if wanted == "off":
        return None
    names = [name for name in environment.get(REDACT_NAMES, "").split(",") if name.strip()]
    given = environment.get(REDACTION_KEY)
    return kind(_Marks(folder, given.encode() if given else b"").mark, names)


def without_secrets(value: Any, declared: frozenset[str] = frozenset()) -> Any:
    """The data with one mark for every secret, redacted before or not, so that calls and records can be compared.

    Args:
        value: the data.
        declared: names of fields that are secret besides, as in `marked_names`.
    """
    return Redactor(lambda _: MARK.format("0" * DIGITS)).redacted(_one_mark(value), declared=declared)


def marked_names(value: Any, name: str = "") -> Iterator[str]:
    """Names of fields whose whole value was taken out, for whatever reason: whoever reads need not know of it."""
    if isinstance(value, str):
        if name and MARKED.fullmatch(value):
            yield name
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from marked_names(one, str(key))
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from marked_names(one, name)


def _one_mark(value: Any) -> Any:
    if isinstance(value, str):
        return MARKED.sub(MARK.format("0" * DIGITS), value)
    if isinstance(value, Mapping):
        return {key: _one_mark(one) for key, one in value.items()}
    return [_one_mark(one) for one in value] if isinstance(value, (list, tuple)) else value


class _Marks:
    """Marks by the key of a folder."""

    def __init__(self, folder: Path | None, key: bytes) -> None:
        self._folder = folder
        self._key = key

    def mark(self, secret: str) -> str:
        if not self._key:
            self._key = secrets.token_bytes(32) if self._folder is None else _key_of(self._folder)
        # A lone surrogate is valid in JSON, so it must not stop the writing of a record.
        data = secret.encode(errors="surrogatepass")
        return MARK.format(hmac.new(self._key, data, hashlib.sha256).hexdigest()[:DIGITS])


def _key_of(folder: Path) -> bytes:
    """The folder's key. Whoever comes first makes it; half a key is never seen."""
    file = folder / KEY_FILE
    if not file.exists():
        # With `keep`, a key that another process wrote meanwhile wins, and all of them read that one.
        write_atomically(file, secrets.token_bytes(32), mode=OWNER_ONLY, keep=True)
    return file.read_bytes()
