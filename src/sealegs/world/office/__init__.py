"""Office: staff, rooms, calendars, leave, time sheets, boards, documents, contracts, mail, training and services."""
