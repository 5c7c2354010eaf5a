"""The command `sealegs`, also as `python -m sealegs`."""

from __future__ import annotations

import sys

from sealegs.cli_extra import why_unusable


def run_if_usable() -> None:
    """Run the command, if all that it needs is installed; else say what is missing, with exit code 2."""
    if message := why_unusable("the command `sealegs`"):
        print(f"sealegs: {message}", file=sys.stderr)
        sys.exit(2)
    from sealegs.cli import main

    main()


if __name__ == "__main__":
    run_if_usable()
