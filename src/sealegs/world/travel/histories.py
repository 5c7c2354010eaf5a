"""The history tools of the domain's actions, which show today's requests to the services of travel."""

from __future__ import annotations

from sealegs.world.history import history
from sealegs.world.travel.cancellations import cancel_guest_stay, cancel_hotel_booking
from sealegs.world.travel.dining import confirm_table_request, request_table, reserve_table
from sealegs.world.travel.ground import book_airport_transfer, book_ride
from sealegs.world.travel.hire import book_hire_car, reserve_hire_quote
from sealegs.world.travel.insurance import bind_insurance_quote, buy_travel_insurance
from sealegs.world.travel.lodging import book_hotel_offer, book_hotel_room
from sealegs.world.travel.rail_tickets import buy_train_ticket, reserve_rail_offer
from sealegs.world.travel.ticketing import book_flight, hold_seat, issue_ticket
from sealegs.world.travel.visas import apply_for_visa, open_visa_case, submit_visa_case

travel_ticket_history = history(
    "travel_ticket_history",
    hold_seat,
    issue_ticket,
    book_flight,
    reserve_rail_offer,
    buy_train_ticket,
    shows="Show what flights and trains were held, booked and paid today.",
)
stay_history = history(
    "stay_history",
    book_hotel_offer,
    book_hotel_room,
    cancel_hotel_booking,
    cancel_guest_stay,
    shows="Show what hotel stays were booked and cancelled today.",
)
ground_transport_history = history(
    "ground_transport_history",
    book_ride,
    book_airport_transfer,
    reserve_hire_quote,
    book_hire_car,
    shows="Show what rides, transfers and hire cars were booked today.",
)
travel_papers_history = history(
    "travel_papers_history",
    open_visa_case,
    submit_visa_case,
    apply_for_visa,
    bind_insurance_quote,
    buy_travel_insurance,
    shows="Show what visas were applied for and what travel insurance was bought today.",
)
table_history = history(
    "table_history",
    request_table,
    confirm_table_request,
    reserve_table,
    shows="Show what restaurant tables were asked for and reserved today.",
)
