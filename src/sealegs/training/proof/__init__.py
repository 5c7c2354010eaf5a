"""The proof: a small model is trained from scratch in its own world, and seen to recover in the simulator.

The world is made of the kernel's pieces (tools, graphs, plans, the judge), the data of `training.data`, the training is
`training.running`'s. What it does not show: anything about a large language model.
"""

SEEN, KINDS, TOOLS, BOTH, CODES = SETS = ("seen", "kinds", "tools", "both", "codes")
"""Sets of an evaluation: new tasks alone; new kinds of failures, new tools, or both; error codes without a meaning."""
