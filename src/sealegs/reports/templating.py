"""How pages are made from the templates. Needs the extra `report`."""

from __future__ import annotations

from functools import cache

import jinja2

from sealegs.reports.metric_grids import figure


@cache
def environment() -> jinja2.Environment:
    """The templates of this room; what is put into them is escaped."""
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("sealegs.reports", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["figure"] = figure
    return found
