"""The colours of heat maps: one hue from pale to deep, so that they are read by lightness and any eye can.

Each shade is given for a light and a dark page, with the ink (black or white) that stands out most on it.
"""

from __future__ import annotations

from dataclasses import dataclass

from sealegs.reports.palette import Colour, components

BLACK, WHITE = (0, 0, 0), (255, 255, 255)
HUES = ("blue", "orange")


@dataclass(frozen=True, slots=True)
class Shade:
    """Background and ink on a light and on a dark page, each as `#rrggbb`."""

    light: str
    light_ink: str
    dark: str
    dark_ink: str


def shade(value: float, hue: str) -> Shade:
    """The shade of a rate.

    Args:
        value: in %.
        hue: one of `HUES`; on a light page 100 is the darkest, on a dark page the lightest.
    """
    share = min(max(value / 100, 0.0), 1.0)
    ends = zip(components(f"{hue}-pale"), components(f"{hue}-deep"), strict=True)
    light, dark = (_between(pale, deep, share) for pale, deep in ends)
    return Shade(_hex(light), _hex(_ink(light)), _hex(dark), _hex(_ink(dark)))


def contrast(one: Colour, other: Colour) -> float:
    """The contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _between(start: Colour, end: Colour, share: float) -> Colour:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(start, end, strict=True))
    return red, green, blue


def _ink(ground: Colour) -> Colour:
    return max((BLACK, WHITE), key=lambda ink: contrast(ink, ground))


def _luminance(colour: Colour) -> float:
    linear = [(c / 255 / 12.92) if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
