"""The moment of a tool's work at which a fault strikes."""

from __future__ import annotations

from typing import Literal, get_args

Moment = Literal["before", "during", "after"]
"""before: nothing was done; during: a part was, where a tool has several effects; after: all was, and the answer was
lost or is wrong."""

MOMENTS: tuple[Moment, ...] = get_args(Moment)
