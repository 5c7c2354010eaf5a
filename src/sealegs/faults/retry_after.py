"""The header Retry-After (RFC 9110, 10.2.3): seconds, or a date.

A date is counted from the answer's own `Date`, so that neither our clock nor a wrong one of the server's matters. Where
that is missing, the date says nothing.
"""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime

_SECONDS = re.compile(r"\d+(?:\.\d+)?", re.ASCII)


def seconds_invited(value: str, date: str = "") -> float | None:
    """The seconds after which a retry is invited; None where that is not known.

    Args:
        value: of the header.
        date: of the header `Date`.
    """
    value = value.strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    try:
        then, now = parsedate_to_datetime(value), parsedate_to_datetime(date)
        return max(0.0, (then - now).total_seconds())
    except (TypeError, ValueError, OverflowError):  # no date, or one with a zone and one without
        return None
