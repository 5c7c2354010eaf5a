"""A module that keeps a file open when it is imported: forks would share the place in it."""

from tests.suites.micro.isolated_runs import fine

FILE = open(__file__)  # noqa: PTH123, SIM115

__all__ = ["FILE", "fine"]
