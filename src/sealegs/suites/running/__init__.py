"""What the runs of all suites share: folders that are gone on with, logs, processes, Inspect. Knows no suite."""
