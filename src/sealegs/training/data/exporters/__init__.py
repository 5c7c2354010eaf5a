"""The formats in which rows are written, one file each; `--row-format` takes their names; `both`: the first two.

A file here with a subclass of `Exporter` is all that a format needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from inspect import isabstract
from pkgutil import iter_modules

from sealegs.training.data.exporters.exporter import Exporter, Row


def _found() -> Iterator[Exporter]:
    """An exporter of each class in the files of this folder."""
    for file in iter_modules(__path__):
        module = import_module(f"{__name__}.{file.name}")
        own = (one for one in vars(module).values() if getattr(one, "__module__", "") == module.__name__)
        yield from (one() for one in own if isinstance(one, type) and issubclass(one, Exporter) and not isabstract(one))


EXPORTERS: tuple[Exporter, ...] = tuple(sorted(_found(), key=lambda one: (one.order, one.name)))
FORMS: Mapping[str, tuple[Exporter, ...]] = {one.name: (one,) for one in EXPORTERS} | {"both": EXPORTERS[:2]}


def exporters_of(row: Row) -> tuple[Exporter, ...]:
    """Those that wrote a row."""
    return tuple(one for one in EXPORTERS if one.column in row)


def row_reader(row: Row) -> Exporter:
    """The first that can read a row."""
    return exporters_of(row)[0]
