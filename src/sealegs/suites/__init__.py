"""The benchmark suites: the only room where agents, tools, faults, records and scores meet."""
