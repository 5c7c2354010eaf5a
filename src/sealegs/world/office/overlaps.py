"""Tools of the office domain that can stand in for one another, or for others, on some inputs."""

from __future__ import annotations

from sealegs.world.tool import Overlap

PERIODS = Overlap.of("net_workdays", "period_by_week", "add_working_days", "expand_recurrence", "schedule_hours")
PEOPLE = Overlap.of("team_roster", "distribution_list", "staff_directory_lookup", "mail_address_book")
TO_DO = Overlap.of("create_task", "capture_backlog_item", "create_ticket", "open_service_request", "add_checklist_item")
MESSAGES = Overlap.of("post_channel_message", "send_email")
INVITATIONS = Overlap.of("create_calendar_event", "draft_invitation", "book_meeting_room", "hold_meeting_room")
COURSE_PLACES = Overlap.of("enrol_in_session", "reserve_training_place", "create_ticket", "open_service_request")
DATES_BEFORE = Overlap.of("notice_deadline", "contract_timeline", "shift_moment")
PRICED_PIECES = Overlap.of("print_job_cost", "order_total", "unit_price")
SPANS = Overlap.of("net_workdays", "time_between", "count_travel_days", "timecard_hours", "overtime_split")
WORKING_DAY = Overlap.of("net_workdays", "period_by_week", "calendar_day")
