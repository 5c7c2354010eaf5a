"""A dataset's description in Croissant 1.0 (the MLCommons metadata format), which dataset searches read.

It covers what a folder of JSON lines needs: files with their SHA-256, and one record set with a field for each column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_TERMS = (  # of Croissant, as the standard context has them; readers warn where one is left out
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet", "format"),
    *("includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex"),
    *("repeated", "replace", "samplingRate", "separator", "source", "subField", "transform"),
)
CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{term: f"cr:{term}" for term in _TERMS},
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}
TYPES: Mapping[type, str] = {str: "sc:Text", int: "sc:Integer", bool: "sc:Boolean", float: "sc:Float"}


@dataclass(frozen=True)
class DataFile:
    """A file of a dataset: its path in the folder, and the SHA-256 of its bytes."""

    path: str
    sha256: str


def croissant(
    name: str, version: str, about: str, cite: str, licence: str, files: Sequence[DataFile], row: Mapping[str, Any]
) -> dict[str, Any]:
    """The description.

    Args:
        name, version: of the dataset; the version as `MAJOR.MINOR.PATCH`.
        about: what it is, in a sentence or two.
        cite: how it is cited.
        licence: the address of its text.
        files: of JSON lines.
        row: one of them, from which the columns and their types are read.
    """
    return {
        "@context": dict(CONTEXT),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": name,
        "version": version,
        "description": about,
        "citeAs": cite,
        "license": licence,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file.path,
                "name": file.path,
                "contentUrl": file.path,
                "encodingFormat": "application/jsonlines",
                "sha256": file.sha256,
            }
            for file in files
        ],
        "recordSet": [_records(file.path, row) for file in files],
    }


def _records(path: str, row: Mapping[str, Any]) -> dict[str, Any]:
    name = path.rpartition("/")[2].partition(".")[0]
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "field": [_field(name, path, column, value) for column, value in row.items()],
    }


def _field(records: str, path: str, column: str, value: Any) -> dict[str, Any]:
    listed = isinstance(value, list)
    found = {
        "@type": "cr:Field",
        "@id": f"{records}/{column}",
        "name": f"{records}/{column}",
        "dataType": TYPES[type(value[0]) if listed else type(value)],
        "source": {"fileObject": {"@id": path}, "extract": {"column": column}},
    }
    return {**found, "repeated": True} if listed else found
