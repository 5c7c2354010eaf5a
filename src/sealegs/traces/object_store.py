"""Whole objects under a URL, by fsspec: listed, read, written whole, removed. The one place that imports it.

A failure becomes one sentence that says what can be done. The libraries of the stores repeat requests that a busy or
failing server refuses; this adds no tries of its own. It does not cover who may read what: that is the store's policy.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.traces.folder_urls import NO_FOLDERS, url_scheme

INSTALL = 'pip install "sealegs[remote]"'
NO_BUCKET = "bucket does not exist"
LONGEST = 300  # characters of another library's message
KEYS = "give keys (for s3: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE)"


class StoreFailure(UserError):
    """A store refused a request, or could not be reached; the message says which, why, and what to do."""


class ObjectStore:
    """The objects under a URL, by their names relative to it.

    Args:
        url: in the form of `folder_url`.

    Raises:
        UserError: nothing installed here knows the scheme.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._files = _file_system(url)
        # Cleaned by the scheme's own rules, as the names in its lists are.
        self._root = str(self._files._strip_protocol(url)).rstrip("/")

    def sizes(self, below: str = "") -> dict[str, int]:
        """Every object with its size, or those below a name; the one that the URL itself names is called ''."""
        with self._reported("read"):
            place = self._place(below)
            found: Mapping[str, Any] = self._files.find(place, detail=True)
        return {self._name(one): int(info.get("size") or 0) for one, info in found.items() if info["type"] == "file"}

    def read(self, name: str) -> bytes:
        """All of an object.

        Raises:
            FileNotFoundError: there is no such object.
            StoreFailure: it cannot be read.
        """
        with self._reported("read", missing=True):
            found: bytes = self._files.cat_file(self._place(name))
        return found

    def fetch(self, name: str, target: Path) -> None:
        """Copy an object to a file.

        Raises:
            FileNotFoundError: there is no such object.
            StoreFailure: it cannot be read.
        """
        with self._reported("read", missing=True):
            self._files.get_file(self._place(name), str(target))

    def write(self, name: str, data: bytes) -> None:
        """Write an object whole, in place of one of that name."""
        with self._reported("write"):
            self._files.pipe_file(self._place(name), data)

    def put(self, name: str, file: Path) -> None:
        """Copy a file to an object, in place of one of that name."""
        with self._reported("write"):
            self._files.put_file(str(file), self._place(name))

    def create(self, name: str, data: bytes) -> bool:
        """Write an object where none of that name is; False if there is one."""
        with self._reported("write"):
            try:
                self._files.pipe_file(self._place(name), data, mode="create")
            except FileExistsError:
                return False
            except OSError as error:  # how s3 says that its condition (If-None-Match) did not hold
                if error.errno in (errno.EEXIST, errno.EBUSY) or "PreconditionFailed" in _words(error):
                    return False
                raise
        return True

    def remove(self, names: Iterable[str]) -> None:
        """Remove objects; one that is not there is no mistake."""
        for name in names:
            with self._reported("write"), suppress(FileNotFoundError):
                self._files.rm_file(self._place(name))

    def _place(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root

    def _name(self, place: str) -> str:
        return str(self._files._strip_protocol(place)).removeprefix(self._root).lstrip("/")

    @contextmanager
    def _reported(self, what: str, *, missing: bool = False) -> Iterator[None]:
        """Tell what fails inside in one sentence. A missing object is the caller's to tell where `missing` says so."""
        try:
            yield
        except UserError:
            raise
        # Each store's library has errors of its own, most of which no class of Python's is above.
        except Exception as error:
            if missing and isinstance(error, FileNotFoundError) and NO_BUCKET not in _words(error).lower():
                raise
            raise StoreFailure(f"cannot {what} {self.url}: {_reason(error)}") from error


def _file_system(url: str) -> Any:
    scheme = url_scheme(url)
    if scheme in NO_FOLDERS:
        raise UserError(f"{url}: {scheme} has no folders that can be written; name a local folder, or one on s3://")
    try:
        import fsspec
    except ModuleNotFoundError as error:
        raise UserError(f"{url}: a URL needs fsspec; run: {INSTALL}") from error
    try:
        # Lists are not kept: other machines write to the same place. The connection is, by fsspec.
        return fsspec.filesystem(scheme, use_listings_cache=False)
    except ImportError as error:
        remedy = INSTALL if scheme in ("s3", "s3a") else f"install what fsspec needs for it ({_words(error)})"
        raise UserError(f"{url}: {scheme}:// needs a package that is not installed; run: {remedy}") from error
    except ValueError as error:
        raise UserError(f"{url}: the scheme {scheme!r} is unknown; name a local folder, or one on s3://") from error
    except Exception as error:
        raise UserError(f"{url} cannot be opened ({_words(error)}); check its form and the settings") from error


def _reason(error: Exception) -> str:
    """The reason why a request failed, and a remedy."""
    words, kinds = _words(error), {one.__name__ for one in type(error).__mro__}
    if kinds & {"NoCredentialsError", "PartialCredentialsError", "ProfileNotFound", "CredentialRetrievalError"}:
        return f"there are no credentials ({words}); {KEYS}"
    if isinstance(error, PermissionError):
        return f"access is refused ({words}); check the keys and what they may do there"
    if isinstance(error, FileNotFoundError):
        return f"there is no such bucket ({words}); make it, or name another"
    return f"{type(error).__name__}: {words}; check the address and the network, then give the same command again"


def _words(error: Exception) -> str:
    """An error's message and that of what caused it, on one line."""
    text = " ".join(f"{error} {error.__cause__ or ''}".split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
