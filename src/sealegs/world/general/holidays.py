"""Public holidays of 2026 by country, those on weekends too, and what kind of day a date is.

Saturday and Sunday are the weekend everywhere. Not covered: bridge days, make-up working days and holidays of single
states or cantons that fall on a weekday.
"""

from __future__ import annotations

from datetime import date, timedelta

from sealegs.world.tool import Refusal

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
YEAR = 2026
WEEKDAY_OF = {
    day.isoformat(): WEEKDAYS[day.weekday()] for day in (date(YEAR, 1, 1) + timedelta(days=n) for n in range(365))
}

_WRITTEN = {
    "PT": "01-01 New Year's Day|04-03 Good Friday|04-05 Easter Sunday|04-25 Freedom Day|05-01 Labour Day"
    "|06-04 Corpus Christi|06-10 Portugal Day|08-15 Assumption Day|10-05 Republic Day|11-01 All Saints' Day"
    "|12-01 Restoration of Independence|12-08 Immaculate Conception|12-25 Christmas Day",
    "DE": "01-01 New Year's Day|03-08 International Women's Day|04-03 Good Friday|04-06 Easter Monday|05-01 Labour Day"
    "|05-14 Ascension Day|05-25 Whit Monday|10-03 German Unity Day|12-25 Christmas Day|12-26 Second Day of Christmas",
    "JP": "01-01 New Year's Day|01-12 Coming of Age Day|02-11 National Foundation Day|02-23 Emperor's Birthday"
    "|03-20 Vernal Equinox Day|04-29 Showa Day|05-03 Constitution Memorial Day|05-04 Greenery Day|05-05 Children's Day"
    "|05-06 Constitution Memorial Day (observed)|07-20 Marine Day|08-11 Mountain Day|09-21 Respect for the Aged Day"
    "|09-22 Citizens' Holiday|09-23 Autumnal Equinox Day|10-12 Sports Day|11-03 Culture Day"
    "|11-23 Labour Thanksgiving Day",
    "CN": "01-01 New Year's Day|02-16 Spring Festival Eve|02-17 Spring Festival|02-18 Spring Festival, second day"
    "|02-19 Spring Festival, third day|04-05 Qingming Festival|05-01 Labour Day|05-02 Labour Day, second day"
    "|06-19 Dragon Boat Festival|09-25 Mid-Autumn Festival|10-01 National Day|10-02 National Day, second day"
    "|10-03 National Day, third day",
    "US": "01-01 New Year's Day|01-19 Martin Luther King Jr. Day|02-16 Presidents' Day|05-25 Memorial Day"
    "|06-19 Juneteenth|07-03 Independence Day (observed)|07-04 Independence Day|09-07 Labor Day|10-12 Columbus Day"
    "|11-11 Veterans Day|11-26 Thanksgiving Day|12-25 Christmas Day",
    "GB": "01-01 New Year's Day|04-03 Good Friday|04-06 Easter Monday|05-04 Early May Bank Holiday"
    "|05-25 Spring Bank Holiday|08-31 Summer Bank Holiday|12-25 Christmas Day|12-28 Boxing Day (observed)",
    "FR": "01-01 New Year's Day|04-06 Easter Monday|05-01 Labour Day|05-08 Victory Day|05-14 Ascension Day"
    "|05-25 Whit Monday|07-14 Bastille Day|08-15 Assumption Day|11-01 All Saints' Day|11-11 Armistice Day"
    "|12-25 Christmas Day",
    "ES": "01-01 New Year's Day|01-06 Epiphany|04-03 Good Friday|05-01 Labour Day|08-15 Assumption Day"
    "|10-12 National Day|12-08 Immaculate Conception|12-25 Christmas Day",
    "IT": "01-01 New Year's Day|01-06 Epiphany|04-05 Easter Sunday|04-06 Easter Monday|04-25 Liberation Day"
    "|05-01 Labour Day|06-02 Republic Day|08-15 Assumption Day|10-04 Saint Francis' Day|11-01 All Saints' Day"
    "|12-08 Immaculate Conception|12-25 Christmas Day|12-26 Saint Stephen's Day",
    "AT": "01-01 New Year's Day|01-06 Epiphany|04-06 Easter Monday|05-01 National Holiday|05-14 Ascension Day"
    "|05-25 Whit Monday|06-04 Corpus Christi|08-15 Assumption Day|10-26 National Day|11-01 All Saints' Day"
    "|12-08 Immaculate Conception|12-25 Christmas Day|12-26 Saint Stephen's Day",
    "CH": "01-01 New Year's Day|04-03 Good Friday|04-06 Easter Monday|05-14 Ascension Day"
    "|05-25 Whit Monday|08-01 Swiss National Day|12-25 Christmas Day|12-26 Saint Stephen's Day",
    "SE": "01-01 New Year's Day|01-06 Epiphany|04-03 Good Friday|04-05 Easter Sunday|04-06 Easter Monday"
    "|05-01 May Day|05-14 Ascension Day|05-24 Whit Sunday|06-06 National Day|06-20 Midsummer Day|10-31 All Saints' Day"
    "|12-25 Christmas Day|12-26 Second Day of Christmas",
    "CA": "01-01 New Year's Day|04-03 Good Friday|05-18 Victoria Day|07-01 Canada Day|09-07 Labour Day"
    "|09-30 National Day for Truth and Reconciliation|10-12 Thanksgiving|11-11 Remembrance Day|12-25 Christmas Day"
    "|12-26 Boxing Day",
    "AU": "01-01 New Year's Day|01-26 Australia Day|04-03 Good Friday|04-04 Easter Saturday|04-05 Easter Sunday"
    "|04-06 Easter Monday|04-25 Anzac Day|12-25 Christmas Day|12-26 Boxing Day"
    "|12-28 Boxing Day (observed)",
    "SG": "01-01 New Year's Day|02-17 Chinese New Year|02-18 Chinese New Year, second day|03-21 Hari Raya Puasa"
    "|04-03 Good Friday|05-01 Labour Day|05-27 Hari Raya Haji|05-31 Vesak Day|06-01 Vesak Day (observed)"
    "|08-09 National Day|08-10 National Day (observed)|11-08 Deepavali|11-09 Deepavali (observed)|12-25 Christmas Day",
    "IN": "01-26 Republic Day|03-04 Holi|03-21 Id-ul-Fitr|03-26 Ram Navami|03-31 Mahavir Jayanti|04-03 Good Friday"
    "|05-01 Buddha Purnima|05-27 Bakrid|06-26 Muharram|08-15 Independence Day|08-26 Milad-un-Nabi|09-04 Janmashtami"
    "|10-02 Gandhi Jayanti|10-20 Dussehra|11-08 Diwali|11-24 Guru Nanak Jayanti|12-25 Christmas Day",
    "AE": "01-01 New Year's Day|03-20 Eid al-Fitr|03-21 Eid al-Fitr, second day|03-22 Eid al-Fitr, third day"
    "|05-26 Arafat Day|05-27 Eid al-Adha|05-28 Eid al-Adha, second day|05-29 Eid al-Adha, third day"
    "|06-16 Islamic New Year|08-25 Prophet's Birthday|12-02 National Day|12-03 National Day, second day",
    "KR": "01-01 New Year's Day|02-16 Seollal Eve|02-17 Seollal|02-18 Seollal, third day"
    "|03-01 Independence Movement Day|03-02 Independence Movement Day (observed)|05-05 Children's Day"
    "|05-24 Buddha's Birthday|05-25 Buddha's Birthday (observed)|06-06 Memorial Day"
    "|08-15 Liberation Day|08-17 Liberation Day (observed)"
    "|09-24 Chuseok Eve|09-25 Chuseok|09-26 Chuseok, third day|10-03 National Foundation Day"
    "|10-05 National Foundation Day (observed)|10-09 Hangul Day|12-25 Christmas Day",
    "MX": "01-01 New Year's Day|02-02 Constitution Day|03-16 Benito Juarez's Birthday|05-01 Labour Day"
    "|09-16 Independence Day|11-16 Revolution Day|12-25 Christmas Day",
    "ZA": "01-01 New Year's Day|03-21 Human Rights Day|04-03 Good Friday|04-06 Family Day|04-27 Freedom Day"
    "|05-01 Workers' Day|06-16 Youth Day|08-09 Women's Day|08-10 Women's Day (observed)|09-24 Heritage Day"
    "|12-16 Day of Reconciliation|12-25 Christmas Day|12-26 Day of Goodwill",
}


def _read(written: str) -> dict[date, str]:
    days = {date.fromisoformat(f"{YEAR}-{entry[:5]}"): entry[6:] for entry in written.split("|")}
    first = min(days)
    return {**days, first.replace(year=YEAR + 1): days[first]}


HOLIDAYS = {code: _read(written) for code, written in _WRITTEN.items()}


def day_type(country_code: str, day: date) -> str:
    """`public_holiday`, `weekend` or `working_day`; a holiday on a weekend is a public holiday."""
    if day in HOLIDAYS[country_code]:
        return "public_holiday"
    return "weekend" if day.weekday() >= 5 else "working_day"


def next_working_day(country_code: str, day: date) -> date:
    """The first working day after the day."""
    later = day + timedelta(days=1)
    while day_type(country_code, later) != "working_day":
        later += timedelta(days=1)
    return later


def next_holiday(country_code: str, day: date) -> tuple[date, str]:
    """Date and name of the first public holiday after the day, which must lie in 2026."""
    return min((later, name) for later, name in HOLIDAYS[country_code].items() if later > day)


def in_calendar(day: date) -> date:
    """The day itself.

    Raises:
        Refusal: 400 where it lies outside the published calendar.
    """
    if day.year != YEAR:
        raise Refusal(400, "YearNotPublished", f"The holiday calendar covers {YEAR}; {day} lies outside.")
    return day
