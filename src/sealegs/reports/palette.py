"""The colours of pages and figures, read from the style sheet, which is the one place that names them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

Colour = tuple[int, int, int]
ROOT = re.compile(r":root \{(.*?)\n\s*\}", re.DOTALL)
VARIABLE = re.compile(r"--([a-z0-9-]+): (#[0-9a-f]{6});")


@cache
def palettes() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The colours of a light and of a dark page by name, each as `#rrggbb`."""
    sheet = files("sealegs.reports").joinpath("templates/page.css").read_text("utf-8")
    light, dark = (dict(VARIABLE.findall(root)) for root in ROOT.findall(sheet)[:2])
    return light, {**light, **dark}


def light(name: str) -> str:
    """A colour of a light page, as `#rrggbb`."""
    return palettes()[0][name]


def components(name: str) -> tuple[Colour, Colour]:
    """Red, green and blue of a colour, from 0 to 255, on a light and on a dark page."""
    on_light, on_dark = (bytes.fromhex(palette[name].removeprefix("#")) for palette in palettes())
    return (on_light[0], on_light[1], on_light[2]), (on_dark[0], on_dark[1], on_dark[2])
