"""`paladin`: one labelled failure in a task, of one of seven classes, and arms that recover from it or do not.

After PALADIN (AAAI 2026 workshop). Its data is not copied: tasks are of the `maze` world and of trajectories in the
format of ToolBench, failures are shown as the 58 published ones look.
"""

SETS = ("eval", "generalisation", "toolreflect")
KINDS = ("transient", "switch", "dead end")
CLEAN = "clean"
