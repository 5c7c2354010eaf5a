"""The view of notes and progress of the verbs that test one's own agent."""

from __future__ import annotations

from collections.abc import Callable

from sealegs.cli.consoles import errors


class NotesView:
    """Notes on standard error, and progress."""

    def __init__(self, progress: Callable[[int, int], None]) -> None:
        self.progress = progress

    def note(self, text: str) -> None:
        """Print a sentence."""
        errors.print(f"note: {text}", markup=False)
