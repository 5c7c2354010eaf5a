"""The history tools of the domain's actions, which show today's requests to the services of the office."""

from __future__ import annotations

from sealegs.world.history import history
from sealegs.world.office.boards import capture_backlog_item, create_task, plan_backlog_item
from sealegs.world.office.calendars import create_calendar_event, draft_invitation
from sealegs.world.office.channels import post_channel_message
from sealegs.world.office.documents import share_document
from sealegs.world.office.hospitality import order_catering, reserve_parking_bay
from sealegs.world.office.invitations import move_calendar_event, send_invitation
from sealegs.world.office.leave_requests import draft_leave_request, request_leave, submit_leave_request
from sealegs.world.office.mail import send_email
from sealegs.world.office.print_jobs import print_at_office, submit_print_job
from sealegs.world.office.room_booking import book_meeting_room, confirm_room_hold, hold_meeting_room
from sealegs.world.office.tickets import assign_ticket, create_ticket, open_service_request
from sealegs.world.office.timesheets import add_timesheet_row, log_time, open_timesheet
from sealegs.world.office.training_courses import confirm_training_place, enrol_in_session, reserve_training_place

work_item_history = history(
    "work_item_history",
    create_task,
    capture_backlog_item,
    plan_backlog_item,
    open_service_request,
    assign_ticket,
    create_ticket,
    shows="Show what was entered today on team boards and at the service desk.",
)
calendar_history = history(
    "calendar_history",
    create_calendar_event,
    draft_invitation,
    send_invitation,
    move_calendar_event,
    shows="Show what events were entered, moved and sent to colleagues today.",
)
office_booking_history = history(
    "office_booking_history",
    hold_meeting_room,
    confirm_room_hold,
    book_meeting_room,
    order_catering,
    reserve_parking_bay,
    shows="Show what meeting rooms, catering and parking bays were booked today.",
)
message_history = history(
    "message_history",
    send_email,
    post_channel_message,
    share_document,
    shows="Show what mail, channel messages and documents went out to people today.",
)
working_time_history = history(
    "working_time_history",
    draft_leave_request,
    submit_leave_request,
    request_leave,
    open_timesheet,
    add_timesheet_row,
    log_time,
    shows="Show what leave was asked for and what hours were booked today.",
)
print_history = history(
    "print_history",
    submit_print_job,
    print_at_office,
    shows="Show what was sent to the office printers today.",
)
training_history = history(
    "training_history",
    reserve_training_place,
    confirm_training_place,
    enrol_in_session,
    shows="Show what places in training sessions were kept and taken today.",
)
