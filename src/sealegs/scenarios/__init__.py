"""Scenarios: a base task, the tools offered with it, the faults of one mode and the prompt, all frozen.

Suites play them, the hunt looks for plans that break an agent on one, and training data is made from them. After
ToolMaze (arXiv 2606.05806): C1 a line, C2 with a one-to-one or one-to-n alternative, C3 with an n-to-n one, C4 with
alternatives in parallel branches; NP no fault, P1 explicit and transient, P2 explicit and permanent, P3 implicit and
transient, P4 implicit and permanent.
"""

LEVELS = ("C1", "C2", "C3", "C4")
MODES = ("NP", "P1", "P2", "P3", "P4")
