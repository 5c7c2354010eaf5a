"""A field that the schema requires is empty."""

from __future__ import annotations

from typing import ClassVar, Literal

from sealegs.faults.corruption import Breaking


class MissingRequiredFields(Breaking):
    """Required values become empty text or null; their keys stay.

    Without a declared schema every field of the answer counts as required.
    """

    needs: ClassVar[tuple[str, ...]] = ()
    kind: Literal["missing_required_fields"] = "missing_required_fields"
