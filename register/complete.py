"""The entry for the register of Inspect Evals, complete: with the address, the commit and the people that it asks for.

    python register/complete.py --repository https://github.com/OWNER/NAME --contributor NAME > eval.yaml

The result is `register/sealegs_maze/eval.yaml` of a pull request to that register.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent
ENTRY = FOLDER / "sealegs_maze" / "eval.yaml"


def complete_entry(repository: str, commit: str, contributors: list[str]) -> dict[str, Any]:
    """The entry as plain data.

    Args:
        repository: the address of this repository.
        commit: which the entry is pinned to.
        contributors: by their names at the repository's host.
    """
    entry: dict[str, Any] = yaml.safe_load(ENTRY.read_text(encoding="utf-8"))
    source = {"repository_url": repository, "repository_commit": commit, "maintainers": contributors}
    return {**entry, "contributors": contributors, "source": source}


def main() -> None:
    """Print the entry."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repository", required=True, help="address of this repository")
    parser.add_argument("--contributor", action="append", required=True, help="name at its host; several are allowed")
    options = parser.parse_args()
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=FOLDER, capture_output=True, text=True, check=True)
    entry = complete_entry(options.repository, head.stdout.strip(), options.contributor)
    print(yaml.safe_dump(entry, sort_keys=False, allow_unicode=True, width=1000), end="")


if __name__ == "__main__":
    main()
