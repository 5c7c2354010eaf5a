"""Alternative groups over teams and their boards."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.office.wiring import asked, told

__all__ = ["TASK_FOR_TEAM_LEAD", "TASK_PLANNED", "TEAM_SIZE_AND_LEAD"]

TASK = ("task_id", "assignee_name", "days_left")

TEAM_SIZE_AND_LEAD = Pattern(
    name="team_size_and_lead",
    purpose="Find how many people a team has and who leads it.",
    inputs=("team",),
    exports=("people", "lead_email", "lead_name"),
    ways=(
        Way(
            "chart", {"team_roster": asked("team")}, told("team_roster", "lead_email", "lead_name", people="head_count")
        ),
        Way(
            "mail_list",
            {"distribution_list": asked(list_name="team")},
            told("distribution_list", people="address_count", lead_email="owner_address", lead_name="owner_name"),
        ),
    ),
    examples=tuple({"team": name} for name in ("Platform", "Finance", "People", "Sales", "Legal", "Workplace")),
)

TASK_PLANNED = Pattern(
    name="task_planned",
    purpose="Have a task on a board with somebody to do it and a due date.",
    inputs=("board", "title", "email", "due_date"),
    exports=TASK,
    ways=(
        Way(
            "at_once",
            {"create_task": asked("board", "title", "due_date", assignee_email="email")},
            told("create_task", *TASK),
        ),
        Way(
            "backlog_first",
            {
                "capture_backlog_item": asked("board", "title"),
                "plan_backlog_item": {
                    **asked("due_date", assignee_email="email"),
                    "task_id": "capture_backlog_item.task_id",
                },
            },
            told("plan_backlog_item", *TASK),
        ),
    ),
    examples=(
        {
            "board": "Month-end close",
            "title": "Check the accruals",
            "email": "mei.tan@fernhill.example",
            "due_date": "2026-03-09",
        },
        {
            "board": "Hiring pipeline",
            "title": "Advertise the counsel role",
            "email": "erik.sandmark@fernhill.example",
            "due_date": "2026-03-17",
        },
        {
            "board": "Trade fair",
            "title": "Order the banners",
            "email": "priya.ramanath@fernhill.example",
            "due_date": "2026-03-24",
        },
        {
            "board": "Data quality",
            "title": "Remove double customers",
            "email": "kenji.morioka@fernhill.example",
            "due_date": "2026-04-03",
        },
    ),
)

TASK_FOR_TEAM_LEAD = Pattern(
    name="task_for_team_lead",
    purpose="Have a task with a due date on a board for whoever leads a team.",
    inputs=("team", "board", "title", "due_date"),
    exports=("lead_email", "people", *TASK),
    ways=(
        Way(
            "chart_and_task",
            {
                "team_roster": asked("team"),
                "create_task": {**asked("board", "title", "due_date"), "assignee_email": "team_roster.lead_email"},
            },
            {**told("team_roster", "lead_email", people="head_count"), **told("create_task", *TASK)},
        ),
        Way(
            "list_and_backlog",
            {
                "distribution_list": asked(list_name="team"),
                "capture_backlog_item": asked("board", "title"),
                "plan_backlog_item": {
                    **asked("due_date"),
                    "task_id": "capture_backlog_item.task_id",
                    "assignee_email": "distribution_list.owner_address",
                },
            },
            {
                **told("distribution_list", lead_email="owner_address", people="address_count"),
                **told("plan_backlog_item", *TASK),
            },
        ),
    ),
    examples=(
        {"team": "Finance", "board": "Month-end close", "title": "Sign the accruals", "due_date": "2026-03-06"},
        {"team": "Sales", "board": "Sales campaigns", "title": "Name the spring offer", "due_date": "2026-03-12"},
        {"team": "Legal", "board": "Legal matters", "title": "Clear the trade mark", "due_date": "2026-03-27"},
        {"team": "Workplace", "board": "Office upkeep", "title": "Choose a new cleaner", "due_date": "2026-04-15"},
    ),
)
