"""`maze`: tasks of four levels on simulated tools, each run clean and under four kinds of fault.

After ToolMaze (arXiv 2606.05806): C1 a line, C2 with a one-to-one or one-to-n alternative, C3 with an n-to-n one, C4
with alternatives in parallel branches; NP no fault, P1 explicit and transient, P2 explicit and permanent, P3 implicit
and transient, P4 implicit and permanent.
"""

LEVELS = ("C1", "C2", "C3", "C4")
MODES = ("NP", "P1", "P2", "P3", "P4")
