"""The campaign files that ship, and the text of any."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import resources
from pathlib import Path

from sealegs.faults.user_error import UserError

ENDING = ".campaign"


def shipped_campaigns() -> dict[str, str]:
    """The files that ship: their texts by name."""
    folder = resources.files(__package__).joinpath("files")
    found = {file.name.removesuffix(ENDING): file for file in folder.iterdir() if file.name.endswith(ENDING)}
    return {name: found[name].read_text(encoding="utf-8") for name in sorted(found)}


def campaign_text(file: str) -> tuple[str, str]:
    """The name and the text of a campaign file; a file of that name comes before one that ships.

    Raises:
        UserError: there is no such file, or it cannot be read.
    """
    path, known = Path(file), shipped_campaigns()
    if not path.exists() and file.removesuffix(ENDING) in known:
        name = file.removesuffix(ENDING)
        return name, known[name]
    try:
        return path.name.removesuffix(ENDING), path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        names = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
        near = get_close_matches(path.name, [*names, *known], n=1)
        hint = f"did you mean {near[0]}?" if near else f"check its name, or take one that ships: {', '.join(known)}"
        raise UserError(f"there is no campaign file {file}; {hint}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{file} is not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    except OSError as error:
        raise UserError(f"{file} cannot be read ({error.strerror}); give the name of a readable file") from error
