"""`sealegs run inspect`: any eval of Inspect, clean and under faults, scored by its own scorers.

Nothing of the eval is changed or copied: the seam is the function by which Inspect runs tools
(`adapters.inspect_seam`), and the session of a sample is opened by a solver around the eval's own.
"""
