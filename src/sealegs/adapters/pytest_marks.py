"""The names that the pytest plugin and its parts share."""

MARK = "faults"
RUNS = "runs"  # the mark's argument that has the test's body run many times
FOUND = "sealegs_faults"  # the attribute of a test's report that holds what the faults did; plain data, for xdist
