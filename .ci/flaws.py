"""Say what pip-audit found, and of how many packages its source of known flaws knows anything.

usage: python .ci/flaws.py FILE, which pip-audit wrote with --format json

pip-audit itself passes where it could look up nothing at all: an index that is a mirror has no data of flaws.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def main() -> int:
    """Print it; 1 where there is a flaw."""
    found = json.loads(Path(sys.argv[1]).read_text("utf-8"))["dependencies"]
    print("\n".join(report(found)))
    return int(any(one.get("vulns") for one in found))


def report(found: list[Mapping[str, Any]]) -> Iterator[str]:
    """A line for each known flaw, and one that says what was looked up."""
    for one in found:
        for flaw in one.get("vulns", []):
            mended = ", ".join(flaw.get("fix_versions", [])) or "no version"
            yield f"{one['name']} {one['version']}: {flaw['id']}, mended in {mended}"
    known = sum("vulns" in one for one in found)
    flaws = sum(len(one.get("vulns", [])) for one in found)
    if known == len(found) > 0:
        yield f"known flaws: {flaws}, in all {known} packages"
    elif known:
        yield f"known flaws: {flaws}, in {known} of {len(found)} packages; of the others the index has no data"
    else:
        yield f"known flaws: NOT CHECKED: the index has no data of flaws for any of the {len(found)} packages"


if __name__ == "__main__":
    sys.exit(main())
