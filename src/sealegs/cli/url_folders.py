"""Folders that are URLs: fetched before a verb reads them, and kept up to date on the store while it writes.

The verb itself works on a folder of this machine, and what it says names the URL. Which options may be URLs is in
`READ` and `WRITTEN`; any other is refused. Nothing is imported for ordinary paths.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sealegs.faults.user_error import UserError
from sealegs.traces.folder_urls import URL_OF, folder_url, local_folder, scheme_alone, with_urls

if TYPE_CHECKING:
    from typing import TextIO

    from sealegs.traces.remote_folder import RemoteFolder

WRITTEN = {  # by verb: the option of the folder that it fills
    "campaign run": "out",
    "data make": "out",
    "maze generate": "out",
    "merge": "out",
    "run": "out",
}
READ = {  # by verb: what it reads. What it writes beside that, such as a page, is put there, too.
    "campaign report": ("folder",),
    "data check": ("folder",),
    "grade traces": ("logs",),
    "merge": ("folders",),
    "rank": ("runs",),
    "redact": ("log",),
    "replay": ("trace",),
    "report": ("logs", "against"),
}
COPY, KEPT = "sealegs-copy-", "sealegs-kept-"  # begin the names of folders here


def take_urls(command: Any, verb: str) -> None:
    """Let a command, or all of a group, take URLs where `READ` and `WRITTEN` say so, and refuse them elsewhere."""
    if isinstance(commands := getattr(command, "commands", None), dict):  # any other mapping imports what is asked for
        for name, one in commands.items():
            take_urls(one, f"{verb} {name}")
    elif command.callback is not None:
        command.callback = _with_folders(command.callback, verb)


def _with_folders(call: Callable[..., Any], verb: str) -> Callable[..., Any]:
    known = {*READ.get(verb, ()), *filter(None, [WRITTEN.get(verb)])}

    @wraps(call)
    def called(**given: Any) -> Any:
        urls = {name: found for name, value in given.items() if (found := _urls_in(value, name in known))}
        if not urls:
            return call(**given)
        _check_urls(verb, urls, known)
        with _local_folders(set(urls), WRITTEN.get(verb, ""), given) as local:
            return call(**local)

    return called


def _urls_in(value: Any, known: bool) -> list[str]:
    """The URLs among the values of an option. A text counts only where the verb says so: most are not paths."""
    values = value if isinstance(value, (list, tuple)) else [value]
    places = [one for one in values if isinstance(one, (Path, str) if known else Path)]
    for place in places:
        if scheme_alone(place) and not Path(place).exists():  # otherwise the run would end up in a local folder `s3:`
            raise UserError(f"{str(place)!r} is only a scheme, not a folder; give a whole URL, such as s3://bucket/run")
    return [url for place in places if (url := folder_url(place))]


def _check_urls(verb: str, urls: Mapping[str, list[str]], known: set[str]) -> None:
    remote = {name: found for name, own in urls.items() if (found := [url for url in own if not local_folder(url)])}
    for name in remote.keys() - known:
        raise UserError(f"`sealegs {verb}` takes no URL for `{name}` ({remote[name][0]}); name a local path")


@contextmanager
def _local_folders(names: set[str], written: str, given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The arguments of a verb, with a folder of this machine in place of each URL."""
    with ExitStack() as stack:

        def local(place: Any, opened: Callable[[str], Any]) -> Any:
            if not (url := folder_url(place)):
                return place
            folder = local_folder(url) or stack.enter_context(opened(url))
            return type(place)(folder) if isinstance(place, str) else folder

        stack.enter_context(_urls_named())
        found = dict(given)
        # What is read is fetched first: a mistake there is found before a folder is held.
        for name in sorted(names, key=lambda name: name == written):
            opened = partial(_written_folder, shards=bool(given.get("on"))) if name == written else _read_folder
            value = given[name]
            several = isinstance(value, (list, tuple))
            found[name] = [local(one, opened) for one in value] if several else local(value, opened)
        yield found


@contextmanager
def _urls_named() -> Iterator[None]:
    """Name URLs in all that is printed, and in messages, in place of the folders of this machine."""
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = cast("TextIO", _NamingStream(out)), cast("TextIO", _NamingStream(err))
    try:
        yield
    except UserError as error:
        error.args = tuple(with_urls(one) if isinstance(one, str) else one for one in error.args)
        raise
    finally:
        sys.stdout, sys.stderr = out, err
        URL_OF.clear()


class _NamingStream:
    """A stream that names URLs in place of the folders that hold their copies."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        return int(self._stream.write(with_urls(text)))


@contextmanager
def _private_home(url: str) -> Iterator[Path]:
    """A folder that only its owner may read, and that is removed, in place of what is above the URL's last name."""
    import tempfile
    from shutil import rmtree

    from sealegs.traces.folder_lock import FolderLock

    _remove_left_copies(Path(tempfile.gettempdir()))
    home = Path(tempfile.mkdtemp(prefix=COPY)).resolve()
    URL_OF[str(home)] = url.rpartition("/")[0]
    # Locked while its process lives, however that ends.
    with FolderLock(home, wait=True):
        try:
            yield home
        finally:
            rmtree(home, ignore_errors=True)


def _remove_left_copies(place: Path) -> None:
    """Remove what killed commands left: it may hold records, and all that counts is on the store."""
    from shutil import rmtree

    from sealegs.traces.folder_lock import FolderLock

    # A process can lock again what it holds, so the lock does not show which copies are its own; the name does.
    for left in (one for one in place.glob(f"{COPY}*") if str(one.resolve()) not in URL_OF):
        with suppress(UserError, OSError):
            if hasattr(os, "getuid") and left.lstat().st_uid != os.getuid():
                continue
            with FolderLock(left):
                rmtree(left, ignore_errors=True)


@contextmanager
def _read_folder(url: str) -> Iterator[Path]:
    """A copy of the folder or file that a URL names; what a verb writes beside it is put there."""
    from sealegs.traces.object_store import ObjectStore
    from sealegs.traces.remote_fetch import fetch_file, fetch_folder
    from sealegs.traces.remote_folder import file_states, put_changed_files

    above, _, name = url.rpartition("/")
    with _private_home(url) as home:
        store, folder = ObjectStore(url), home / name
        folder.mkdir()
        if not fetch_folder(store, folder):
            folder.rmdir()
            if above.endswith(":/") or not fetch_file(store := ObjectStore(above), name, folder := home):
                raise UserError(f"there is nothing at {url}; run something first (`sealegs run maze --agent planner`)")
        before = file_states(folder)
        try:
            yield home / name
        finally:
            put_changed_files(store, folder, before)


@contextmanager
def _written_folder(url: str, *, shards: bool) -> Iterator[Path]:
    """A folder that is kept up to date at a URL until the block ends; with `shards`, that of its shards beside it."""
    with _private_home(url) as home, ExitStack() as stack:
        folder = home / url.rpartition("/")[2]
        if shards:
            from sealegs.cli.spread import SHARDS, shards_beside

            # Entered first, so that it ends last: the shards go when what was joined from them is on the store.
            stack.enter_context(_folder_on_store(f"{url}{SHARDS}", shards_beside(folder), late_removal=True))
        yield stack.enter_context(_folder_on_store(url, folder))


@contextmanager
def _folder_on_store(url: str, folder: Path, *, late_removal: bool = False) -> Iterator[Path]:
    """A new folder of this machine that is kept up to date at a URL until the block ends.

    Args:
        url: where.
        folder: here.
        late_removal: whether what is removed here stays there until the block ends, and for good if that is a mistake.
    """
    from sealegs.cli.terminal import echo
    from sealegs.traces.object_store import ObjectStore
    from sealegs.traces.remote_folder import RemoteFolder

    folder.mkdir()
    remote = RemoteFolder(
        ObjectStore(url), folder, _interrupt, lambda text: echo(f"note: {text}", err=True), late_removal=late_removal
    )
    removal = True
    with _ended_like_interrupted():
        try:
            yield folder
        except UserError:
            removal = not late_removal
            raise
        finally:
            _close(remote, folder, removal=removal)


def _close(remote: RemoteFolder, folder: Path, *, removal: bool) -> None:
    """Hand over the last of it.

    Raises:
        UserError: the store refuses it; all of it is kept here.
    """
    import tempfile

    from sealegs.cli.terminal import echo
    from sealegs.traces.object_store import StoreFailure

    try:
        remote.close(removal=removal)
    except StoreFailure as error:
        if not folder.exists():  # shards that were joined: what the store still has of them does no harm
            echo(f"note: {error}", err=True)
            return
        kept = Path(tempfile.mkdtemp(prefix=KEPT)) / folder.name
        folder.rename(kept)
        raise StoreFailure(
            f"{error}. All that was made is kept in {kept}, a folder like any other; with "
            "the URL, the same command continues from what the store has"
        ) from error


def _interrupt() -> None:
    import signal

    from sealegs.faults.lost_exceptions import interrupt_main

    interrupt_main(signal.SIGTERM)  # a command in the background may have been told to ignore SIGINT


@contextmanager
def _ended_like_interrupted() -> Iterator[None]:
    """Have SIGTERM end the block as Ctrl-C does, so that the last of it is handed over."""
    import signal
    import threading

    from sealegs.faults.lost_exceptions import interrupt_soon, lost_exceptions

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    own = os.getpid()

    def end(number: int, frame: object) -> None:
        if os.getpid() != own:  # a process that was forked meanwhile
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        with lost_exceptions(KeyboardInterrupt, lambda: interrupt_soon(signal.SIGTERM)):
            yield
    finally:
        signal.signal(signal.SIGTERM, before)
