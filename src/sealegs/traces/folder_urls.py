"""Recognition of URLs among paths: a scheme of more than one letter, so that a drive of Windows is not one.

`Path` makes one slash of two; both forms are understood. Nothing is opened here, and nothing is imported for it.
"""

from __future__ import annotations

import re
from pathlib import Path

FILE = "file"
NO_FOLDERS = ("http", "https", "ftp", "ray")  # schemes of what cannot be listed and written as a folder
URL_OF: dict[str, str] = {}  # folders of this machine that hold copies, with the URLs that users know them by
_URL = re.compile(r"([a-z][a-z0-9+.-]+):/+(.*)", re.IGNORECASE | re.DOTALL)


def folder_url(place: Path | str) -> str:
    """The URL that a path is, in one form (`s3://bucket/run`); empty for an ordinary path."""
    found = _URL.fullmatch(place.as_posix() if isinstance(place, Path) else place)
    if found is None:
        return ""
    scheme, rest = found[1].lower(), re.sub("/+", "/", found[2]).rstrip("/")
    return f"{scheme}:///{rest}" if scheme == FILE else f"{scheme}://{rest}"


def scheme_alone(place: Path | str) -> bool:
    """Return whether a path is a URL that names nothing (`s3://`): where a variable for the bucket was empty, say."""
    return re.fullmatch("[a-z][a-z0-9+.-]+:/*", str(place), re.IGNORECASE) is not None


def url_scheme(url: str) -> str:
    """The scheme of a URL."""
    return url.partition(":")[0]


def local_folder(url: str) -> Path | None:
    """The folder of this machine that a URL names; None if it is elsewhere."""
    return Path(url.removeprefix(f"{FILE}://")) if url_scheme(url) == FILE else None


def with_urls(text: str) -> str:
    """A text in which folders that hold copies are named by their URLs."""
    for folder, url in URL_OF.items():
        text = text.replace(folder, url)
    return text
