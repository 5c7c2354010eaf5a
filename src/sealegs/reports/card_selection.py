"""The choice of episodes that deserve a card: few, and together telling of everything that happened.

First one success of each fault mode and one failure of each (mode, attribution) pair; where these are too many, those
that add most: a term, a mode or a level not yet seen. Room that is left goes to episodes on which the judges disagree,
then to a success and a failure after a fault at each level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sealegs.scoring import Case, Verdict
from sealegs.scoring.maze_metrics import CLEAN
from sealegs.traces.record import Record

Played = tuple[Record, Case, Verdict]
MOST = 12
KEPT = 4  # of each kind: as many as `judges.disagreements` shows


class OfferedEpisode(NamedTuple):
    """An episode that may get a card.

    Attributes:
        name: as its record has it.
        mode, level, verdict: of the episode.
        load: gives it as a whole.
    """

    name: str
    mode: str
    level: str
    verdict: Verdict
    load: Callable[[], Played]


class Candidates:
    """The episodes among which cards are chosen, kept while a run is read one episode at a time.

    Of each kind of episode that `choose` and `judges.disagreements` tell apart the first few by name are kept: no other
    could be chosen. How many that are depends on the kinds and not on the run. An episode that is offered again
    replaces what was kept of it.
    """

    def __init__(self) -> None:
        self._kinds: dict[tuple[Any, ...], dict[str, Callable[[], Played]]] = {}
        self._kind_of: dict[str, tuple[Any, ...]] = {}  # of those that are kept

    def offer(self, episode: str, mode: str, level: str, verdict: Verdict, load: Callable[[], Played]) -> None:
        """Keep an episode if it may be chosen.

        Args:
            episode: its name.
            mode, level, verdict: of the episode.
            load: gives it as a whole.
        """
        if earlier := self._kind_of.pop(episode, None):
            del self._kinds[earlier][episode]
        kind = (mode, level, verdict.attribution, verdict.exposed, verdict.success, verdict.published)
        own = self._kinds.setdefault(kind, {})
        own[episode], self._kind_of[episode] = load, kind
        if len(own) > KEPT:
            last = max(own)
            del own[last], self._kind_of[last]

    def kept(self) -> list[Played]:
        """The episodes that may be chosen, by name."""
        loads = {episode: load for own in self._kinds.values() for episode, load in own.items()}
        return [loads[episode]() for episode in sorted(loads)]


def choose(
    episodes: Sequence[Played], most: int = MOST, counts: Mapping[tuple[str, str], int] | None = None
) -> list[Played]:
    """The episodes to show, in the order of mode and outcome.

    Args:
        episodes: all there are, or `Candidates.kept` of them.
        most: how many at most.
        counts: how many there are of each mode and attribution; those that are given by default.
    """
    groups: dict[tuple[str, str], list[Played]] = {}
    for played in sorted(episodes, key=lambda played: played[0].episode):
        groups.setdefault((played[1].mode, played[2].attribution), []).append(played)
    # All but the successes without faults, which tell nothing of recovery.
    wanted = {key: group for key, group in groups.items() if key[1] or key[0] != CLEAN}
    # A large run gives only the few episodes that `Candidates` kept, so their number is not that of the run.
    sizes = counts or {key: len(group) for key, group in groups.items()}
    chosen: list[Played] = []
    while wanted and len(chosen) < most:
        # Sorted first: `max` takes the first of equals, and a report must not depend on the order of its episodes.
        key = max(sorted(wanted), key=lambda key: (_news(key, chosen), sizes[key]))
        chosen.append(_telling(wanted.pop(key), chosen))
    for played in (*_parted(groups.values(), chosen), *_levels(groups.values(), chosen)):
        if len(chosen) < most and played not in chosen:
            chosen.append(played)
    return sorted(chosen, key=lambda played: (played[1].mode, played[2].attribution, played[0].episode))


def _parted(groups: Iterable[Sequence[Played]], chosen: Sequence[Played]) -> Iterator[Played]:
    """One episode of each group on which the judges disagree."""
    for group in groups:
        yield from [p for p in group if p[2].success != p[2].published and p not in chosen][:1]


def _levels(groups: Iterable[Sequence[Played]], chosen: Sequence[Played]) -> Iterator[Played]:
    """A success and a failure of each level, where none was chosen."""
    seen = {(case.task.level, verdict.success) for _, case, verdict in chosen}
    for played in (played for group in groups for played in group if played[2].exposed):
        key = played[1].task.level, played[2].success
        if key not in seen:
            seen.add(key)
            yield played


def _news(key: tuple[str, str], chosen: Sequence[Played]) -> int:
    """The gain from a pair of mode and attribution: a success of its mode counts most, then a new term or mode."""
    mode, term = key
    modes, terms = {case.mode for _, case, _ in chosen}, {verdict.attribution for _, _, verdict in chosen}
    return 4 * (not term) + 2 * (term not in terms) + (mode not in modes)


def _telling(group: Sequence[Played], chosen: Sequence[Played]) -> Played:
    """One episode of a group: if possible one that met a fault, of the level that was shown least."""
    levels = [case.task.level for _, case, _ in chosen]
    return min(group, key=lambda played: (not played[2].exposed, levels.count(played[1].task.level)))
