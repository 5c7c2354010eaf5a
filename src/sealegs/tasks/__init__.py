"""Tasks as AND/OR graphs: validation, the solution space, and c*, the cost of recovery.

A task is a request with a graph of tool calls that answers it; some of its nodes are alternative groups. From the graph
follow, exactly and without listing: whether it is good (`validate_graph`), how many solutions it has
(`count_solutions`), which they are (`solutions`, `is_solution`), and from any state with any tools broken the fewest
calls that still finish it (`recovery_cost`) and the calls that make sense next (`next_calls`, `callable_tools`).

Reading tasks from YAML is in `sealegs.tasks.yaml_tasks`; what a right run looks like in values, in
`sealegs.tasks.reference`.
"""

from sealegs.tasks.counting import count_solutions, solutions_by_length
from sealegs.tasks.downsets import TooWide
from sealegs.tasks.graph import (
    Binding,
    Branch,
    Constant,
    Deliverable,
    Field,
    Graph,
    Group,
    Node,
    Step,
    Task,
    UserInput,
    group_kind,
)
from sealegs.tasks.levels import level_problems
from sealegs.tasks.pattern import Pattern, Way
from sealegs.tasks.recovery_cost import (
    Persistence,
    Risk,
    State,
    after_call,
    callable_tools,
    next_calls,
    next_looks,
    recovery_cost,
)
from sealegs.tasks.reference import ExpectedStep, Reference
from sealegs.tasks.solutions import count_paths, is_prefix, is_solution, path_lengths, shortest_solution, solutions
from sealegs.tasks.validation import InvalidTask, check_graph, check_task, validate_graph, validate_task

__all__ = [
    "Binding",
    "Branch",
    "Constant",
    "Deliverable",
    "ExpectedStep",
    "Field",
    "Graph",
    "Group",
    "InvalidTask",
    "Node",
    "Pattern",
    "Persistence",
    "Reference",
    "Risk",
    "State",
    "Step",
    "Task",
    "TooWide",
    "UserInput",
    "Way",
    "after_call",
    "callable_tools",
    "check_graph",
    "check_task",
    "count_paths",
    "count_solutions",
    "group_kind",
    "is_prefix",
    "is_solution",
    "level_problems",
    "next_calls",
    "next_looks",
    "path_lengths",
    "recovery_cost",
    "shortest_solution",
    "solutions",
    "solutions_by_length",
    "validate_graph",
    "validate_task",
]
