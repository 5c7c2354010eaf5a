"""Intervals: the one place where an interval of any figure is made, and the tests that belong to them."""
