"""`python -m sealegs.cli`."""

from sealegs.cli import main

main()
