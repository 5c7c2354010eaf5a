"""An episode that is recorded in files as it happens: bounded memory, and what is written outlives a killed process.

It holds one episode at a time, and is not for suites, which write an episode when it has ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.inject.clock import Clock
from sealegs.traces.atomic_files import write_all
from sealegs.traces.events import Event
from sealegs.traces.recorder import Recorder
from sealegs.traces.redaction import OWNER_ONLY, redactor_for
from sealegs.traces.store import STREAMED, RecordWriter, Store, StoreError


@contextmanager
def recorded_episode(
    file: Path | None, live: Path | None, about: Mapping[str, Any], episode: str, clock: Clock
) -> Iterator[Recorder | None]:
    """Yield the episode's recorder, which keeps nothing in memory; None where no file is wanted.

    Args:
        file: each event is appended to it at once.
        live: it gets each event at once, in place of what it held.
        about: what is known of the episode.
        episode: its name.
        clock: the session's.

    Raises:
        UserError: a file cannot be written.
    """
    if file is None and live is None:
        yield None
        return

    def at_once(event: Event) -> None:
        text = writer.line(event)
        if store is not None:
            store.append_lines([text])
        if stream is not None:
            write_all(stream, text.encode())

    store = stream = None
    writer = RecordWriter(redactor_for((live or file or Path()).absolute().parent))
    try:
        if live is not None:
            live.touch(OWNER_ONLY)
        # Unbuffered, because the process may be killed and what was written must be there.
        stream = None if live is None else live.open("wb", buffering=0)
        store = None if file is None else Store(file)
    except (StoreError, OSError) as error:
        raise UserError(
            f"cannot write {file if stream or live is None else live}: {error}; name another file"
        ) from error
    recorder = Recorder(clock, at_once, keep=False)
    recorder.start(episode, {**about, STREAMED: True})
    try:
        yield recorder
    except BaseException as error:
        recorder.finish("crashed", detail=str(error))
        raise
    else:
        recorder.finish("answered")
    finally:
        if store is not None:
            store.close()
        if stream is not None:
            stream.close()
