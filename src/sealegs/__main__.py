"""`python -m sealegs`."""

from sealegs.cli import main

main()
