"""A session that the environment asks for: for agents that an experiment starts as processes of their own.

    with sealegs.environment_session():
        run_my_agent()

Where `SEALEGS_PLAN` names no plan, nothing happens, so that the line can stay in the agent's program.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sealegs.faults.plan_files import read_plan
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.inject import RealClock, Session
from sealegs.traces.atomic_files import write_atomically
from sealegs.traces.environment_names import EPISODE, LIVE, PLAN, TIMEOUT, records_file
from sealegs.traces.episode_file import EpisodeFiles
from sealegs.traces.events import Event
from sealegs.traces.record_chain import write_chain
from sealegs.traces.recorder import Recorder
from sealegs.traces.redaction import OWNER_ONLY, redactor_for
from sealegs.traces.store import redacted_lines


@contextmanager
def environment_session(specs: Iterable[ToolSpec] = (), timeout: float | None = None) -> Iterator[Session | None]:
    """Make the session active that the environment asks for, and record it there.

    Args:
        specs: what is known of the tools.
        timeout: seconds after which one call is given up; None takes what the environment says.

    Yields:
        The session; None where the environment asks for none.

    Raises:
        PlanError: the plan that it names cannot be read.
        UserError: its timeout is not a number of seconds.
        OSError: there is no folder for records where it says.
    """
    plan = os.environ.get(PLAN)
    if not plan:
        yield None
        return
    clock, file = RealClock(), records_file()
    with closing(EpisodeFiles(None, None if file is None else file.with_suffix(LIVE))) as files:
        recorder = Recorder(clock, files.write)
        recorder.start(os.environ.get(EPISODE, ""), {"plan": plan})
        session = Session(
            read_plan(plan),
            episode=os.environ.get(EPISODE, ""),
            specs=specs,
            clock=clock,
            timeout=_timeout() if timeout is None else timeout,
            watcher=recorder,
        )
        try:
            with session:
                yield session
        finally:
            recorder.finish("answered")
            if file is not None and files.failed is None:
                try:
                    _keep_whole(recorder.events, file)
                except (UserError, OSError) as error:  # the agent is not to fail by what its record lacks
                    files.fail(str(error))


def _keep_whole(events: Iterable[Event], file: Path) -> None:
    """Write a finished record with what is known of the tools, which its live form may lack."""
    write_atomically(file, "".join(redacted_lines(events, redactor_for(file.parent))), mode=OWNER_ONLY)
    write_chain(file)


def _timeout() -> float | None:
    given = os.environ.get(TIMEOUT)
    if not given:
        return None
    try:
        seconds = float(given)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < float("inf"):
        raise UserError(f"{TIMEOUT}={given!r} is not a number of seconds; set it to one, such as 30, or unset it")
    return seconds
