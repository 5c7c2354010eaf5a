"""One HTML file about one run: no network, no script needed to read it, light and dark, screen and paper.

What is on it is decided here and in the modules it calls; how it looks, in `templates/`. Equal material gives equal
bytes. It does not compare whole runs side by side, except by the paired differences that it is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sealegs.faults.user_error import UserError
from sealegs.reports.card_selection import Played, choose
from sealegs.reports.material import Material
from sealegs.reports.page_sections import PageSection
from sealegs.reports.sections import MAZE_SECTIONS, MazePage, render_sections

__all__ = ["Material", "render_maze_page"]


def render_maze_page(
    material: Material, chosen: Sequence[str] = (), sections: Sequence[PageSection[MazePage]] = MAZE_SECTIONS
) -> str:
    """The page.

    Args:
        material: what it tells of.
        chosen: names of the episodes that get a card; by default a telling dozen (see `card_selection`).
        sections: of the page.

    Raises:
        MissingExtra: jinja2 or matplotlib is not installed.
        UserError: a chosen name is not one of the material's.
    """
    counts = Counter((result.mode, result.verdict.attribution) for result in material.results)
    episodes = _named(material.episodes, chosen) if chosen else choose(material.episodes, counts=counts)
    return render_sections(MazePage(material, episodes), sections)


def _named(episodes: Sequence[Played], chosen: Sequence[str]) -> list[Played]:
    known = {played[0].episode: played for played in episodes}
    unknown = [name for name in chosen if name not in known]
    if unknown:
        some = ", ".join(list(known)[:3])
        raise UserError(f"there is no episode {', '.join(unknown)}; there are {len(known)}, such as {some}")
    return [known[name] for name in dict.fromkeys(chosen)]
