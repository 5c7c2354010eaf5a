"""The words around values in prose, in a few languages: months, small numbers, units, roundings, and how to read them.

English, German, French, Spanish, Italian, Portuguese and Dutch; digits of any script. What is not here is not known: a
month in another language is a word, and the numbers beside it are numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_MONTHS = """
january january januar janvier enero gennaio janeiro januari jänner
february februar février fevrier febrero febbraio fevereiro februari
march märz mars marzo março marco maart
april avril abril aprile
may mai mayo maggio maio mei
june juni juin junio giugno junho
july juli juillet julio luglio julho
august août aout agosto augustus
september septembre septiembre settembre setembro
october oktober octobre octubre ottobre outubro
november novembre noviembre novembro
december dezember décembre decembre diciembre dicembre dezembro
"""
_SHORT = "jan feb mar apr may jun jul aug sep oct nov dec"
_MORE = {"sept": 9, "mär": 3, "mrz": 3, "mai": 5, "okt": 10, "dez": 12, "déc": 12, "ene": 1, "abr": 4, "ago": 8}
_MORE |= {
    "dic": 12,
    "gen": 1,
    "mag": 5,
    "giu": 6,
    "lug": 7,
    "ott": 10,
    "set": 9,
    "out": 10,
    "fev": 2,
    "fév": 2,
    "févr": 2,
}
_MORE |= {"avr": 4, "juil": 7, "mrt": 3, "mei": 5, "janv": 1}
MONTH_NAMES: Final[Mapping[str, int]] = {
    **{name: number for number, line in enumerate(_MONTHS.split("\n")[1:-1], 1) for name in line.split()},
    **{name: number for number, name in enumerate(_SHORT.split(), 1)},
    **_MORE,
}
_SMALL = """
zero one two three four five six seven eight nine ten eleven twelve
null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf
zéro une deux trois quatre cinq six sept huit neuf dix onze douze
cero una dos tres cuatro cinco seis siete ocho nueve diez once doce
zero due due tre quattro cinque sei sette otto nove dieci undici dodici
zero uma dois três quatro cinco seis sete oito nove dez onze doze
nul één twee drie vier vijf zes zeven acht negen tien elf twaalf
"""
SMALL_NUMBERS: Final[Mapping[str, int]] = {
    **{word: number for line in _SMALL.split("\n")[1:-1] for number, word in enumerate(line.split())},
    **{"couple": 2, "both": 2, "beide": 2, "pair": 2, "dozen": 12, "half": 2, "double": 2, "twice": 2, "deux": 2},
}
SCALES: Final[Mapping[str, float]] = {
    **dict.fromkeys(("k", "thousand", "tsd", "tausend", "mille", "mil", "mila", "duizend"), 1e3),
    **dict.fromkeys(("m", "mn", "mio", "million", "millions", "millionen", "millones", "millón", "milioni"), 1e6),
    **dict.fromkeys(("milhões", "milhão", "miljoen", "mln"), 1e6),
    **dict.fromkeys(("b", "bn", "billion", "mrd", "milliarde", "milliarden", "milliard", "milliards", "miliardi"), 1e9),
    **{"lakh": 1e5, "crore": 1e7, "万": 1e4, "億": 1e8, "亿": 1e8},
}
MONEY: Final = r"(?:[$€£¥₹₩]|usd|eur|euros?|gbp|chf|jpy|cny|inr|dollars?|pounds|dólares|euro|cents?|fr\.|zł|kr)"
PERCENT: Final = r"(?:%|percent|per cent|prozent|pour cent|por ciento|por cento|per cento|procent)"
# A number of this unit may have been computed as so many times a known number.
CONVERSIONS: Final[Mapping[str, tuple[float, ...]]] = {
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "stunden", "heures", "horas", "ore"), (1 / 60, 1 / 3600, 24)),
    **dict.fromkeys(("min", "mins", "minutes", "minuten", "minutos", "minuti"), (60, 1 / 60, 1440)),
    **dict.fromkeys(("s", "sec", "seconds", "sekunden", "secondes", "segundos"), (60, 3600, 1 / 1000)),
    **dict.fromkeys(("ms", "milliseconds"), (1000,)),
    **dict.fromkeys(("day", "days", "tage", "tagen", "jours", "días", "giorni", "dias"), (7, 1 / 24, 1 / 86400)),
    **dict.fromkeys(("weeks", "wochen", "semaines", "semanas"), (1 / 7,)),
    **dict.fromkeys(("km", "kilometers", "kilometres", "kilometer"), (1 / 1000, 1.609344)),
    **dict.fromkeys(("mi", "miles"), (1 / 1.609344, 1 / 1609.344)),
    **dict.fromkeys(("m", "meters", "metres", "meter"), (1000, 1 / 100, 0.3048)),
    **dict.fromkeys(("cm",), (100, 1 / 10, 2.54)),
    **dict.fromkeys(("ft", "feet"), (1 / 0.3048,)),
    **dict.fromkeys(("kg", "kilos"), (1 / 1000, 0.45359237)),
    **dict.fromkeys(("g", "grams", "gramm"), (1000,)),
    **dict.fromkeys(("lb", "lbs", "pounds"), (1 / 0.45359237,)),
    **dict.fromkeys(("kb",), (1 / 1024, 1 / 1000)),
    **dict.fromkeys(("mb",), (1 / 1024, 1 / 1000, 1 / 1e6, 1 / 1048576)),
    **dict.fromkeys(("gb",), (1 / 1024, 1 / 1000, 1 / 1e9, 1 / 1073741824)),
}
DAY_UNITS: Final[Mapping[str, int]] = {
    **dict.fromkeys(
        ("day", "days", "tag", "tage", "tagen", "jour", "jours", "día", "días", "giorni", "dias", "dagen"), 1
    ),
    **dict.fromkeys(("week", "weeks", "woche", "wochen", "semaine", "semaines", "semana", "semanas"), 7),
}
MINUTE_UNITS: Final[Mapping[str, int]] = {
    **dict.fromkeys(("min", "mins", "minute", "minutes", "minuten", "minutos", "minuti"), 1),
    **dict.fromkeys(
        ("h", "hr", "hrs", "hour", "hours", "stunde", "stunden", "heure", "heures", "hora", "horas", "ore"), 60
    ),
}
# Units that make even a small number one that must come from somewhere.
FIRM_UNITS: Final = frozenset(
    {"km", "mi", "miles", "kg", "lb", "lbs", "g", "cm", "mm", "ft", "kb", "mb", "gb", "tb", "ml"}
)
DEGREES: Final = r"(?:°\s?[cf]?|degrees?(?: (?:celsius|fahrenheit))?|grad|degrés|grados|gradi)"
ROUGHLY: Final = re.compile(
    r"(?:about|around|approximately|approx\.?|roughly|nearly|almost|over|under|more than|less than|up to|at least|some"
    r"|circa|ca\.?|etwa|rund|ungefähr|knapp|über|fast|environ|presque|plus de|près de|unos|unas|aproximadamente|casi"
    r"|más de|alrededor de|quasi|oltre|cerca de|quase|mais de|ongeveer|bijna|ruim|~|≈|>|<|≥|≤)\s*"
    r"(?:[$€£¥₹]|usd|eur|gbp)?\s*$",
    re.IGNORECASE,
)
YEAR_BEFORE: Final = re.compile(
    r"(?:\b(?:in|of|since|from|by|until|till|before|after|during|year|years|jahr|seit|bis|von|ab|en|de|depuis|desde|año"
    r"|nel|del|dal|em|ano|sinds|van|season|©|q[1-4]|h[12]|spring|summer|autumn|fall|winter|"
    + "|".join(MONTH_NAMES)
    + r")"
    r"[\s,.]*(?:\d{4}\s?(?:[-/]|to|and|or|bis|und|et|y|e)\s?)?|[(/©]|\d{4}\s?[-/])$",
    re.IGNORECASE,
)
# Terms that hold digits and are not codes.
TERMS_WITH_DIGITS: Final = re.compile(
    r"(?:h2o|co2|b2[bc]|c2c|p2p|mp[34]|[234]d|[2348]k|[2345]g|a[0-6]|q[1-4]|h[12]|fy\d\d(?:\d\d)?|utf-?8|iso-?\d{4,5}|utc[+-]\d+"
    r"|gmt[+-]\d+|sha-?\d+|base64|covid-?19|v\d|top-?\d{1,2}|24/7|i18n|oauth2|http/?[123]|s3|ec2|x86|ipv[46]|wi-fi \d"
    r"|\d{1,4}s|\d{1,3}(?:x|th|st|nd|rd|er|e|ème|º|ª|o|a)|24-hour)",
    re.IGNORECASE,
)
