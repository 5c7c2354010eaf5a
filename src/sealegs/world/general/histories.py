"""The history tools of the domain's actions, which show today's requests to the services of the user's own affairs."""

from __future__ import annotations

from sealegs.world.general.alarms import set_alarm, start_timer
from sealegs.world.general.appointment_holds import confirm_office_appointment, hold_office_appointment
from sealegs.world.general.appointments import book_office_slot
from sealegs.world.general.contacts import add_contact, import_contact_card
from sealegs.world.general.library_services import place_title_hold, request_library_copy
from sealegs.world.general.news import subscribe_news_alert
from sealegs.world.general.organiser import add_checklist_item, save_note, schedule_item_alert, set_note_reminder
from sealegs.world.general.sharing import add_to_shared_list, create_poll
from sealegs.world.history import history

alert_history = history(
    "alert_history",
    set_alarm,
    start_timer,
    subscribe_news_alert,
    shows="Show what alarms, timers and news alerts the user has had set up today.",
)
public_service_history = history(
    "public_service_history",
    hold_office_appointment,
    confirm_office_appointment,
    book_office_slot,
    place_title_hold,
    request_library_copy,
    shows="Show what appointments at public offices and books of city libraries were reserved today.",
)
organiser_history = history(
    "organiser_history",
    add_contact,
    import_contact_card,
    add_checklist_item,
    save_note,
    schedule_item_alert,
    set_note_reminder,
    shows="Show what was put into the user's own contacts, notes, checklist and reminders today.",
)
sharing_history = history(
    "sharing_history",
    add_to_shared_list,
    create_poll,
    shows="Show what was put on shared lists and what polls were opened today.",
)
