"""Progress: plain lines where nobody watches, a bar on a terminal."""

import pytest

from sealegs.cli.progress import show_progress


def test_in_a_log_it_is_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress("episodes") as tell:
        for done in range(401, 2001):
            tell(done, 2000)
    assert capsys.readouterr().err.splitlines() == [
        f"episodes: {done} of 2,000" for done in ("500", "1,000", "1,500", "2,000")
    ]


def test_what_was_there_before_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress("episodes") as tell:
        tell(7, 7)
        tell(0, 0)
    assert capsys.readouterr().err == ""


def test_on_a_terminal_it_is_a_bar(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with show_progress("episodes") as tell:
        tell(5, 10)
    assert "5/10" in capsys.readouterr().err
