"""Consoles for tables, progress and mistakes, on which every sign can be seen, whoever wrote the text.

Markup is off: what agents and tools write is not an instruction to us. A file of its own, since code that prints plain
lines (`terminal`) need not pay for importing Rich.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from sealegs.faults.visible_text import visible

WIDE = 160  # columns without a terminal: a file or another program takes tables as wide as they are


class VisibleConsole(Console):
    """A console that shows control and direction characters instead of obeying them."""

    def __init__(self, **given: Any) -> None:
        super().__init__(markup=False, emoji=False, **given)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of what is printed; escapes are made before lines are broken, so that tables keep their form."""
        for segment in super().render(_seen(renderable), options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


# A relay closes its standard output before it ends, and a mistake is still to be printed then.
_own_width = "COLUMNS" in os.environ or (not sys.stdout.closed and sys.stdout.isatty())
console = VisibleConsole(soft_wrap=False, width=None if _own_width else WIDE)
errors = VisibleConsole(stderr=True, soft_wrap=True, highlight=False)


def _seen(renderable: RenderableType) -> RenderableType:
    if isinstance(renderable, str):
        return visible(renderable)
    if isinstance(renderable, Text) and (plain := visible(renderable.plain)) != renderable.plain:
        return Text(
            plain, renderable.style, justify=renderable.justify, overflow=renderable.overflow, end=renderable.end
        )
    return renderable
