"""Does a text express a value?"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache

from pydantic import JsonValue

from skillbench_tasks.datasets.surface.mentions import Surface, scanned
from skillbench_tasks.datasets.surface.moments import Day
from skillbench_tasks.datasets.surface.normal import word_text, words_pattern
from skillbench_tasks.datasets.surface.numerals import number_in_words

__all__ = ["Test", "address_parts", "expresses", "is_vacuous", "phone_digits", "same_number"]

Test = Callable[[str], bool]
"""Does this text express the value that the test was made for?"""


def expresses(text: str, value: JsonValue, forms: Sequence[str] = ()) -> bool:
    """Return whether `text` says `value` in any usual written form.

    Booleans, null, blank strings and empty containers have no form of their own: without `forms`
    they hold of every text, with `forms` one of those has to occur. A list and an object need all
    of their elements; an address (an object with a street) needs its street line and its postcode
    or its city. A date-time needs its day, and its time unless it is midnight or carries seconds.

    Args:
        text: What was said.
        value: A value of a record.
        forms: Wordings any of which will do as well.
    """
    words = word_text(text)
    if any(words_pattern(form).search(words) for form in forms):
        return True
    if is_vacuous(value):
        return not forms
    return _says(text, value)


def is_vacuous(value: JsonValue) -> bool:
    """Return whether a value has no written form: boolean, null, blank or empty."""
    match value:
        case bool() | None:
            return True
        case str():
            return not value.strip()
        case list():
            return all(map(is_vacuous, value))
        case dict():
            return all(map(is_vacuous, value.values()))
        case _:
            return False


def same_number(a: float, b: float) -> bool:
    """Return whether two numbers are equal but for rounding of the last bits."""
    return abs(a - b) < 1e-9 * max(1.0, abs(a), abs(b))


_LARGEST = 1e15


def _says(text: str, value: JsonValue) -> bool:
    match value:
        case list():
            return all(expresses(text, element) for element in value)
        case dict():
            address = address_parts(value)
            if address is None:
                return all(expresses(text, element) for element in value.values())
            street, places = address
            return _says(text, street) and (not places or any(_says(text, p) for p in places))
        case str():
            return _string_test(value)(text)
        case int() | float() if abs(value) < _LARGEST:
            return _says_number(text, abs(float(value)))
        case int() | float():
            return False  # infinite, no number, or larger than anybody says
        case _:
            return True


_STREETS = (
    "street",
    "street_address",
    "address_line1",
    "address_line_1",
    "line1",
    "line_1",
    "line",
)
_PLACES = ("postcode", "postal_code", "zip", "zip_code", "city", "town")


def address_parts(record: dict[str, JsonValue]) -> tuple[str, tuple[str, ...]] | None:
    """Return the street line of an address and the parts that place it; `None`: no address."""
    street = next((v for k in _STREETS if isinstance(v := record.get(k), str) and v), None)
    if street is None:
        return None
    return street, tuple(v for k in _PLACES if isinstance(v := record.get(k), str) and v)


def _says_number(text: str, value: float) -> bool:
    if any(same_number(n, value) for mention in scanned(text) for n in mention.numbers):
        return True
    return value == 0 and bool(_NOTHING.search(word_text(text)))


_NOTHING = re.compile(
    r"\b(?:none|nothing|free of charge|no (?!problem|worries|longer|one)[a-z]+)\b"
)

_DATE = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
)
_DAY_AND_WINDOW = re.compile(r"(\d{4}-\d\d-\d\d)[T ,]+(\d\d:\d\d ?[-–] ?\d\d:\d\d)")
_MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])")
_TIME = re.compile(r"([01]\d|2[0-4]):([0-5]\d)(?::\d\d)?")
_WINDOW = re.compile(r"([01]?\d|2[0-4]):([0-5]\d) ?[-–] ?([01]?\d|2[0-4]):([0-5]\d)")
_AMOUNT = re.compile(r"[$£€]? ?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d{1,2}|\d{1,3})")
_DIGITS = re.compile(r"\d{1,}")
_PHONE = re.compile(r"\+?[\d\s().-]{7,22}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_UK_POSTCODE = re.compile(r"([A-Z]{1,2}\d[A-Z\d]?) ?(\d[A-Z]{2})|([A-Z]\d[A-Z]) ?(\d[A-Z]\d)")
_CODE = re.compile(r"(?=[^\s]*\d)[A-Za-z0-9]+(?:[-_/.:#][A-Za-z0-9]+)*")
_NAME = re.compile(r"[A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*){1,3}")
_MONTH_NAMES = [
    "jan(?:uary)?",
    "feb(?:ruary)?",
    "mar(?:ch)?",
    "apr(?:il)?",
    "may",
    "june?",
    "july?",
    "aug(?:ust)?",
    "sept?(?:ember)?",
    "oct(?:ober)?",
    "nov(?:ember)?",
    "dec(?:ember)?",
]


@lru_cache(maxsize=8192)
def _string_test(value: str) -> Test:
    """Make the test of a string by what it looks like."""
    text = value.strip()
    for make in (_moment_test, _digits_test, _code_test):
        if (test := make(text)) is not None:
            return test
    if (parts := _address_line(text)) is not None:
        street, places = parts
        tests = [_words_test(place) for place in places]
        is_street = _words_test(street)
        return lambda said: is_street(said) and any(test(said) for test in tests)
    if _NAME.fullmatch(text):
        words = [word for word in re.split(r"[\s.]+", text) if len(word) > 1]
        patterns = [_word_pattern(word) for word in words]
        return lambda said: all(p.search(word_text(said)) for p in patterns)
    return _words_test(text)


def _any_mention(holds: Callable[[Surface], bool]) -> Test:
    return lambda text: any(holds(mention) for mention in scanned(text))


def _moment_test(value: str) -> Test | None:
    """The test of a date, date-time, month, time or window; `None`: the value is none of them."""
    if m := _DAY_AND_WINDOW.fullmatch(value):
        first, second = _moment_test(m[1]), _moment_test(m[2])
        return (lambda text: first(text) and second(text)) if first and second else None
    if m := _DATE.fullmatch(value):
        return _date_test(m)
    if m := _MONTH.fullmatch(value):
        name, year, number = _MONTH_NAMES[int(m[2]) - 1], m[1], int(m[2])
        pattern = re.compile(
            rf"\b(?<!\d )(?:{name})\b(?!\.?,? (?!{year})(?:19|20)\d\d)(?!\.? \d{{1,2}}\b)"
            rf"|(?<![\d/-])(?:0?{number}/{year}|{year}-{m[2]})(?![\d/-])"
        )
        return lambda text: bool(pattern.search(word_text(text)))
    if m := _WINDOW.fullmatch(value):
        start, end = int(m[1]) * 60 + int(m[2]), int(m[3]) * 60 + int(m[4])
        window = (start, end or 1440)
        return _any_mention(lambda mention: window in mention.windows)
    if m := _TIME.fullmatch(value):
        minute = (int(m[1]) * 60 + int(m[2])) % 1440
        return _any_mention(lambda mention: minute in mention.minutes)
    return None


def _date_test(match: re.Match[str]) -> Test | None:
    try:
        day = Day.of(date.fromisoformat(match[1]))
    except ValueError:
        return None
    on_day = _any_mention(lambda mention: any(day.fits(d) for d in mention.days))
    is_log_time = match[2] is None or match[4] not in (None, "00")
    minute = 0 if is_log_time else int(match[2]) * 60 + int(match[3])
    if minute == 0:
        return on_day
    at_time = _any_mention(lambda mention: minute in mention.minutes)
    return lambda text: on_day(text) and at_time(text)


def phone_digits(value: str) -> str:
    """Return the national digits of a phone number: no country code, no trunk zero."""
    digits = "".join(c for c in value if c.isdecimal())
    if value.strip().startswith("+"):
        size = 1 if digits[0] in "17" else 3 if digits[:2] in ("35", "42", "37", "38") else 2
        digits = digits[size:]
    elif len(digits) == 11 and digits[0] == "1":
        digits = digits[1:]
    return digits.removeprefix("0")


def _phone_test(value: str, digits: str) -> Test:
    spaced = r"[\s().-]{0,3}".join(phone_digits(value))
    country = r"(?:\+?\(?\d{1,3}\)?[\s().-]{0,3}(?:\(0\)\s?|0)?|\(?0)?"
    exact = r"[\s().-]{0,3}".join(digits)
    phone = re.compile(rf"(?<!\d)(?<!\d[-.])(?:{country}\(?{spaced}|{exact})(?![-.]?\d)")
    return lambda text: bool(phone.search(word_text(text)))


def _digits_test(value: str) -> Test | None:
    """The test of a phone number, an amount or a string of digits; `None`: the value is none."""
    digits = "".join(c for c in value if c.isdecimal())
    is_spaced = not value.isdecimal() and not re.fullmatch(r"\d+\.\d+", value)
    if _PHONE.fullmatch(value) and 7 <= len(digits) <= 15 and (is_spaced or len(digits) >= 10):
        return _phone_test(value, digits)
    if (m := _AMOUNT.fullmatch(value)) and not re.fullmatch(r"0\d+", value):
        number = float(m[1].replace(",", ""))
        return lambda text: _says_number(text, number)
    if not _DIGITS.fullmatch(value):
        return None
    pattern = re.compile(
        rf"(?<![\w$£€])(?<!\d[-.,: ])(?<![a-z]-){'[ .,-]?'.join(value)}(?!\w)(?![-.,: ]\d)"
    )
    number = float(value)
    is_plain = not value.startswith("0")

    def test(text: str) -> bool:
        if pattern.search(word_text(text)):
            return True
        mentions = scanned(text)
        if any(m.kind == "digits" and m.token == value for m in mentions):
            return True
        return is_plain and any(m.kind == "words" and number in m.numbers for m in mentions)

    return test


def _code_test(value: str) -> Test | None:
    """The test of an e-mail address, postcode or id; `None`: the value is none of them."""
    if _EMAIL.fullmatch(value):
        user, _, host = re.escape(word_text(value)).partition("@")
        dotted = host.replace(r"\.", r"(?:\.| dot )")
        user = user.replace(r"\.", r"(?:\.| dot )")
        email = re.compile(rf"(?<![\w.+-]){user}(?:@| at ){dotted}(?![\w-])(?!\.\w)")
        return lambda text: bool(email.search(word_text(text)))
    if m := _UK_POSTCODE.fullmatch(value.upper()):
        halves = [part.lower() for part in m.groups() if part]
        postcode = re.compile(rf"(?<!\w){r'[ -]?'.join(halves)}(?!\w)")
        return lambda text: bool(postcode.search(word_text(text)))
    if not _CODE.fullmatch(value) or re.fullmatch(r"[a-z]+(?:_[a-z0-9]+)+", value):
        return None
    parts = re.findall(r"[a-z]+|\d+", word_text(value))
    spelled = [r"[ -]?".join(p) if p.isdecimal() and len(p) >= 7 else p for p in parts]
    body = r"[\s\-_/#.:]{0,3}".join(spelled)
    pattern = rf"(?<!\w)(?<!\w-){body}(?!\w)(?!-\w*\d)"
    tail = parts[-1]
    if len(parts) == 2 and tail.isdecimal() and len(tail) >= 4:
        pattern += rf"|(?<![\w$£€])(?<!\d[.,])(?<!\w-){tail}(?!\w)(?![.,]\d)(?!-\w)"
    code = re.compile(pattern)
    return lambda text: bool(code.search(word_text(text)))


_ABBREVIATED = {
    "street": "st", "avenue": "ave", "road": "rd", "lane": "ln", "drive": "dr", "court": "ct",
    "boulevard": "blvd", "place": "pl", "apartment": "apt", "square": "sq", "suite": "ste",
    "terrace": "ter", "highway": "hwy", "north": "n", "south": "s", "east": "e", "west": "w",
}  # fmt: skip
_LONG = {short: long for long, short in _ABBREVIATED.items()}
_STREET_WORD = re.compile(
    r"\b(?:st|street|ave|avenue|rd|road|ln|lane|dr|drive|ct|court|blvd|boulevard|way|close|pl|"
    r"place|sq|square|ter|terrace|hwy|highway)\b\.?",
    re.I,
)
_LOOK_AHEAD = 8
_LIGHT = frozenset({"a", "an", "the", "of", "and", "my", "your", "is", "are"})


def _address_line(value: str) -> tuple[str, list[str]] | None:
    """Street line and other parts of an address in one line; `None`: it is no address."""
    parts = [part.strip() for part in value.split(",") if part.strip()]
    for n, part in enumerate(parts[:-1], 1):
        if re.search(r"\d", part) and _STREET_WORD.search(part):
            return ", ".join(parts[:n]), parts[n:]
    return None


@lru_cache(maxsize=8192)
def _word_pattern(word: str) -> re.Pattern[str]:
    """A pattern for one word of a plain string in a `word_text`."""
    word = word_text(word)
    if word.isdecimal() and word.isascii():
        forms = [re.escape(word)]
        if len(word) <= 3 and int(word) <= 100 and not word.startswith("0"):
            forms.append(number_in_words(int(word)).replace("-", "[ -]"))
        return re.compile(rf"(?<!\w)(?<!\d[.,])(?:{'|'.join(forms)})(?!\w)(?![.,]\d)")
    other = _ABBREVIATED.get(word) or _LONG.get(word)
    either = f"(?:{re.escape(word)}|{other})" if other else re.escape(word)
    return re.compile(rf"(?<![^\W_]){either}(?:e?s)?(?![^\W_])")


def _words_test(value: str) -> Test:
    """The test of plain words: they stand in order, with few words between them."""
    words = re.findall(r"\d+[.,]\d+|[^\W_]+", word_text(value))
    words = [word for word in words if word not in _LIGHT] or words
    if not words:
        literal = word_text(value)
        return lambda text: literal in word_text(text)
    patterns = [_word_pattern(word) for word in words]
    room = 8 * (len(value) + 20)

    def test(text: str) -> bool:
        said = word_text(text)
        start = patterns[0].search(said)
        while start:
            end, limit = start.end(), min(len(said), start.start() + room)
            for pattern in patterns[1:]:
                # Beyond the limit only as far as a pattern looks behind its match.
                following = pattern.search(said, end, limit + _LOOK_AHEAD)
                if following is None:
                    end = limit + 1
                    break
                end = following.end()
            if end <= limit:
                return True
            start = patterns[0].search(said, start.end())
        return False

    return test
