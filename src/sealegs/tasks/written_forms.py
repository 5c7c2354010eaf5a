"""Numbers, dates, times and amounts as German, Spanish and Chinese write them, turned into the English form.

The rest of the project reads values in English prose (`value_matching`). A text in another language is turned into it
as far as values go: "4.180,25" becomes 4180.25, "2. März 2026" 2 March 2026, "下午3点" 15:00. Other words stay.

A number such as "1.193" is a thousand or a decimal, by its language. A text may still hold to the English way, as
models do that copy a tool's answer; so the numbers that can be read in one way alone decide for those that cannot.

It does not know: numbers above twelve in words, times in words ("halb elf"), Chinese numerals beyond ten.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from sealegs.tasks.value_matching import KEPT, MONTHS, NUMBERS

ENGLISH = "en"
LANGUAGES: Mapping[str, str] = {"en": "English", "de": "German", "es": "Spanish", "zh": "Chinese"}

_GERMAN_MONTHS = "januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember"
_SPANISH_MONTHS = "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
_MONTH_NAMES = {"de": _GERMAN_MONTHS, "es": _SPANISH_MONTHS}
_SMALL_NUMBERS = {  # from two on: one is an article
    "de": ("zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"),
    "es": ("dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce"),
}
_CURRENCIES = {
    "de": {"franken": "francs", "pfund": "pounds", "kronen": "kronor", "renminbi": "yuan"},
    "es": {
        "francos?": "francs",
        "libras?": "pounds",
        "dólar(?:es)?": "dollars",
        "coronas": "kronor",
        "yenes": "yen",
        "d[ií]rhams?": "dirhams",
    },
}
_IN_CHINESE = {
    "欧元": "euro",
    "英镑": "pounds",
    "美元": "dollars",
    "法郎": "francs",
    "日元": "yen",
    "迪拉姆": "dirhams",
}
_CHINESE_DIGITS = dict(zip("零一二三四五六七八九十两", (*range(11), 2), strict=True))
_CHINESE_MEASURES = "个台位人次天件把名份项股只副包小"
_CHINESE_SCALES = {"万": 1e4, "亿": 1e8}

_GAP = "\u00a0\u2009\u202f"  # no-break and thin spaces
_TOKEN = re.compile(
    rf"(?<![\w.,:/-])\d{{1,3}}(?: \d{{3}})+(?=,\d|\s?[€$£¥]|\s(?:euros?|eur|usd|gbp|chf)\b)(?:,\d+)?(?![\w-])"
    rf"|(?<![\w:/])(?<!\w[-.,])\d[\d.,'’{_GAP}]*(?<=\d)(?![\w:/-]*\d)",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")


@lru_cache(maxsize=KEPT)
def in_english_forms(text: str, language: str) -> str:
    """Return the text with its numbers, dates, times and currencies as English writes them.

    Args:
        text: in this language, or in English.
        language: one of `LANGUAGES`.
    """
    if language == ENGLISH:
        return text
    if language == "zh":
        return _chinese(text)
    return _numbers(_words(_times(_dates(text, language), language), language))


def _dates(text: str, language: str) -> str:
    names = _MONTH_NAMES[language]
    between = r"\.?\s" if language == "de" else r"º?\s(?:de\s)?"
    year = r"(?P<year>\s\d{4})?" if language == "de" else r"(?:\s(?:de|del)(?P<year>\s\d{4}))?"

    def spelled(found: re.Match[str]) -> str:
        month = names.split("|").index(found["month"].casefold())
        return f"{int(found['day'])} {MONTHS[month].capitalize()}{found['year'] or ''}"

    text = re.sub(
        rf"(?<![\d.,])(?P<day>\d{{1,2}}){between}(?P<month>{names})\b{year}",
        spelled,
        text,
        flags=re.IGNORECASE,
    )
    return re.sub(
        r"(?<![\d./-])(\d{1,2})([./-])\s?(\d{1,2})\2\s?(\d{4})(?!\d)",
        lambda found: f"{found[4]}-{int(found[3]):02}-{int(found[1]):02}",
        text,
    )


def _times(text: str, language: str) -> str:
    if language == "de":
        late = r"(?P<late>\s(?:abends|nachmittags|nachts))?(?:\s(?:morgens|früh|vormittags|mittags))?"
        pattern = rf"(?<![\d.,])(?P<hour>\d{{1,2}})(?:[:.](?P<minute>\d\d))?\sUhr\b{late}"
    else:
        half = r"\s(?:de la\s)?(?:mañana|madrugada|(?P<late>tarde|noche|p\.\s?m\.)|a\.\s?m\.)"
        # An hour alone may be a count: "las 12 cajas".
        alone = rf"{half.replace('late', 'later')}|\s?h\b|\sen punto"
        pattern = rf"(?<=\blas\s)(?P<hour>\d{{1,2}})(?::(?P<minute>\d\d)(?:\s?h\b\.?)?(?:{half})?|{alone})"
    return re.sub(pattern, _clock, text, flags=re.IGNORECASE)


def _clock(found: re.Match[str]) -> str:
    hour = int(found["hour"])
    if hour > 24:
        return found[0]
    late = found["late"] or found.groupdict().get("later")
    return f"{hour + 12 if late and hour < 12 else hour:02}:{found['minute'] or '00'}"


def _words(text: str, language: str) -> str:
    for number, word in enumerate(_SMALL_NUMBERS[language], 2):
        text = re.sub(rf"\b{word}\b", NUMBERS[number], text, flags=re.IGNORECASE)
    for word, english in _CURRENCIES[language].items():
        text = re.sub(rf"\b{word}\b", english, text, flags=re.IGNORECASE)
    return text


def _numbers(text: str) -> str:
    """The text with its numbers without marks of thousands and with decimal points."""
    comma = _decimal_comma([found[0] for found in _TOKEN.finditer(text)])
    return _TOKEN.sub(lambda found: _plain_number(found[0], comma=comma), text)


def _decimal_comma(tokens: list[str]) -> bool:
    """Return whether a comma begins the decimals in these numbers, by those that can be read in one way alone."""
    marks = [_decimal_mark(re.sub(rf"[ '’{_GAP}]", "", token)) for token in tokens]
    return marks.count(".") <= marks.count(",")


def _decimal_mark(token: str) -> str:
    """The mark that begins a number's decimals; empty where it has none or may be read in two ways."""
    signs = re.findall(r"[.,]", token)
    # The same mark twice can only be that of thousands.
    if not signs or (len(signs) > 1 and len(set(signs)) == 1):
        return ""
    # "1.234" may be more than a thousand or little more than one; other numbers of the text decide.
    if len(signs) == 1 and _GROUPED.fullmatch(token) and not token.startswith("0"):
        return ""
    return str(signs[-1])


def _plain_number(token: str, *, comma: bool) -> str:
    digits = re.sub(rf"[ '’{_GAP}]", "", token)
    signs = re.findall(r"[.,]", digits)
    if not signs:
        return digits
    mark = _decimal_mark(digits)
    if not mark and not _GROUPED.fullmatch(digits):
        return token  # a version, an address
    if not mark and len(signs) == 1:
        mark = signs[0] if (signs[0] == ",") == comma else ""
    if not mark:
        return re.sub(r"[.,]", "", digits)
    head, _, tail = digits.rpartition(mark)
    return f"{re.sub(r'[.,]', '', head)}.{tail}"


def _chinese(text: str) -> str:
    for pattern, english in _CHINESE_FORMS:
        text = pattern.sub(english, text)
    for word, name in _IN_CHINESE.items():
        text = text.replace(word, f" {name} ")
    return text


def _chinese_day(found: re.Match[str]) -> str:
    month, day = int(found["month"]), int(found["day"])
    if found["year"] is None:
        return f" {day} {MONTHS[month - 1].capitalize()} " if 1 <= month <= 12 else found[0]
    return f" {found['year']}-{month:02}-{day:02} "


def _chinese_clock(found: re.Match[str]) -> str:
    hour = int(found["hour"])
    if hour < 12 and found["half"] in ("下午", "晚上", "傍晚"):
        hour += 12
    minute = "30" if "半" in found[0] else found["minute"] or "00"
    return f" {hour:02}:{minute} "


def _scaled(found: re.Match[str]) -> str:
    return f"{round(float(found[1].replace(',', '')) * _CHINESE_SCALES[found[2]], 6):.15g}"


def _chinese_number(found: re.Match[str]) -> str:
    return str(_CHINESE_DIGITS[found[0]])


_HALF = r"(?P<half>上午|早上|凌晨|中午|下午|晚上|傍晚)"
_CHINESE_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?P<day>\d{1,2})[日号]"), _chinese_day),
    (re.compile(rf"{_HALF}\s?(?P<hour>\d{{1,2}}):(?P<minute>\d\d)"), _chinese_clock),
    (re.compile(rf"{_HALF}?\s?(?<![\d:.])(?P<hour>\d{{1,2}})点(?:半|(?P<minute>\d\d)分?)?[整钟]?"), _chinese_clock),
    (re.compile(r"(?<![\d.,a-zA-Z-])(\d[\d,]*(?:\.\d+)?)\s?(万|亿)"), _scaled),
    (
        re.compile(rf"(?<![零一二三四五六七八九十百千万第])[二三四五六七八九十两](?=[{_CHINESE_MEASURES}])"),
        _chinese_number,
    ),
)
