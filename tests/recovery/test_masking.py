"""What is particular to one occurrence is masked, and what tells the kind of failure stays."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sealegs.recovery.masking import LENGTH, masked

PAIRS = [
    ("503 Service Unavailable", "503 Service Unavailable"),
    ("HTTP/1.1 429 Too Many Requests", "HTTP/1.1 429 Too Many Requests"),
    ("retry after 1500 ms", "retry after <n> ms"),
    ("took 30.0s", "took <n>s"),
    ("connect to 10.0.3.7:5432 refused", "connect to <address> refused"),
    ("Max retries exceeded with url: https://api.test/v1/x?y=1", "Max retries exceeded with url: <url>"),
    ("no host db.prod.internal", "no host <address>"),
    ("localhost:8080 is down", "<address> is down"),
    ("order 9f1c2d3e-1111-2222-3333-444455556666 is gone", "order <id> is gone"),
    ("order ord_8812ab not found", "order <id> not found"),
    ("at 2026-11-21T10:00:00Z nothing", "at <time> nothing"),
    ("open('/var/lib/data/file.txt') failed", "open('<path>') failed"),
    ("<Response object at 0x7f3a2b>", "<Response object at <id>>"),
    ("mail to a.person@office.example bounced", "mail to <mail> bounced"),
    ("two\n  lines\tof it", "two lines of it"),
    ("Expecting value: line 1 column 17 (char 16)", "Expecting value: line <n> column <n> (char <n>)"),
    ("price of 12,500.75 is wrong", "price of <n> is wrong"),
    ("utf8 and s3 stay, x509 too", "utf8 and s3 stay, x509 too"),
]


@pytest.mark.parametrize(("message", "expected"), PAIRS, ids=[pair[0][:30] for pair in PAIRS])
def test_a_message_masked(message: str, expected: str) -> None:
    assert masked(message) == expected


@example("0a:100")
@example("9b://5")
@given(st.text(alphabet=st.sampled_from("ab1 2.-_:/<>@0x\n"), max_size=80))
def test_masking_twice_changes_nothing_more(message: str) -> None:
    assert masked(masked(message)) == masked(message)


def test_a_long_message_is_cut() -> None:
    assert len(masked("word " * 10_000)) <= LENGTH
