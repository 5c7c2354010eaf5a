"""The tools of a recorded episode as far as they are known: for faults that must know more than a name.

An episode of `maze` says itself which tools it had. Of any other, a corpus of simulated tools may be named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from sealegs.faults.call import Call, Outcome
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.scenarios.scenario import SUITE, scenario_from_record
from sealegs.traces.observed import Trace
from sealegs.world.corpus import Corpus, load_corpus, load_corpus_file
from sealegs.world.state import World

SHIPPED = "sealegs"  # names the corpus that ships


@dataclass(frozen=True, slots=True)
class KnownTools:
    """The known tools, and their answers in a fresh world.

    Attributes:
        specs: the tools.
        other: answers a call without effect in a fresh world; None where there is no world.
    """

    specs: tuple[ToolSpec, ...] = ()
    other: Callable[[Call], Outcome] | None = None


def named_corpus(name: str) -> Corpus | None:
    """The corpus of this name: `sealegs`, or a Python file of tools; None where none is named.

    Raises:
        UserError: there is no such file, or it holds no tools.
    """
    if not name:
        return None
    return load_corpus() if name == SHIPPED else load_corpus_file(Path(name))


def tools_of_trace(trace: Trace, corpus: Corpus | None) -> KnownTools:
    """The known tools of a trace."""
    if corpus is None:
        return _maze(trace) or KnownTools()
    called = {call.tool for call in trace.calls}
    return _of(corpus, (corpus.spec(name) for name in sorted(called & set(corpus.tools))))


def _maze(trace: Trace) -> KnownTools | None:
    """The tools of an episode of `maze`; None where it is not one, or of another version."""
    about = trace.about
    while isinstance(about.get("replay_of"), dict):
        about = about["replay_of"]
    if about.get("suite") != SUITE:
        return None
    try:
        episode = scenario_from_record(about)
        return _of(episode.set.corpus(episode.task), episode.specs)
    except (KeyError, UserError):
        return None


def _of(corpus: Corpus, specs: Iterable[ToolSpec]) -> KnownTools:
    return KnownTools(tuple(specs), lambda call: corpus.run(call, World()))
