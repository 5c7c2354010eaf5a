"""Tasks as AND/OR graphs: validation, the solution space, and c*, the cost of recovery."""

from sealegs.tasks.counting import count_solutions
from sealegs.tasks.graph import Branch, Constant, Deliverable, Field, Graph, Group, Step, Task, User
from sealegs.tasks.levels import level_problems
from sealegs.tasks.recovery_cost import Persistence, State, callable_tools, next_calls, recovery_cost
from sealegs.tasks.solutions import count_paths, is_prefix, is_solution, path_lengths, shortest, solutions
from sealegs.tasks.validation import check, check_task, validate, validate_task

__all__ = [
    "Branch",
    "Constant",
    "Deliverable",
    "Field",
    "Graph",
    "Group",
    "Persistence",
    "State",
    "Step",
    "Task",
    "User",
    "callable_tools",
    "check",
    "check_task",
    "count_paths",
    "count_solutions",
    "is_prefix",
    "is_solution",
    "level_problems",
    "next_calls",
    "path_lengths",
    "recovery_cost",
    "shortest",
    "solutions",
    "validate",
    "validate_task",
]
