"""Every escape of the list, in each isolation; and where nothing is confined, as proof that the list can fail."""

from pathlib import Path

import pytest

from sealegs.faults.call import Value
from sealegs.sandbox.conversation import CodeTurn, CompletedCall, How
from sealegs.sandbox.escapes import LIMITS, Escape, _seen, escapes, try_escape
from tests.sandbox.places import Without, place

ESCAPES = {escape.name: escape for escape in escapes()}
TABLE = Path(__file__).parents[2] / "docs" / "sandbox.md"


@pytest.mark.parametrize("name", ESCAPES)
def test_it_is_stopped_by_the_strong_sandbox(name: str) -> None:
    verdict = try_escape(place("bubblewrap"), ESCAPES[name])
    assert not verdict.why, verdict.turn


@pytest.mark.parametrize("name", ESCAPES)
def test_it_is_stopped_by_the_weak_sandbox_or_named_as_not(name: str) -> None:
    verdict = try_escape(place("weak"), ESCAPES[name])
    if "weak" in ESCAPES[name].open:
        assert all(one.startswith("ESCAPED") for one in verdict.why), verdict.turn
        assert verdict.escaped, "the table says that weak isolation does not stop it"
    else:
        assert not verdict.why, verdict.turn


@pytest.mark.parametrize("name", [name for name, escape in ESCAPES.items() if escape.control])
def test_it_succeeds_where_nothing_is_confined(name: str) -> None:
    verdict = try_escape(place("unconfined"), ESCAPES[name])
    assert verdict.escaped, verdict.turn


@pytest.mark.parametrize("name", ["proc-memory", "database", "package", "system-files", "secret-file"])
def test_landlock_alone_keeps_files(name: str) -> None:
    verdict = try_escape(Without("weak", "seccomp"), ESCAPES[name])
    assert not verdict.why, verdict.turn


@pytest.mark.parametrize(
    "name",
    [
        "udp",
        "listen",
        "unix-socket",
        "abstract-socket",
        "dns",
        "fork-bomb",
        "thread-bomb",
        "shell",
        "kill-all",
        "signal-by-pipe",
        "ptrace",
        "keyring",
        "namespaces",
        "large-interfaces",
        "change-outside",
    ],
)
def test_seccomp_alone_keeps_the_rest(name: str) -> None:
    verdict = try_escape(Without("weak", "landlock"), ESCAPES[name])
    assert not verdict.why, verdict.turn


@pytest.mark.parametrize(
    "name", ["proc-memory", "database", "system-files", "secret-file", "stat-elsewhere", "other-processes"]
)
def test_bubblewrap_alone_keeps_what_can_be_seen(name: str) -> None:
    verdict = try_escape(Without("bubblewrap", "landlock", "seccomp"), ESCAPES[name])
    assert not verdict.why, verdict.turn


def test_the_list_is_long_enough_and_every_name_its_own() -> None:
    assert len(ESCAPES) == len(escapes()) >= 25
    assert sum(escape.control for escape in escapes()) >= 10


def row(escape: Escape) -> str:
    weak = "**not stopped**: " + escape.weak if "weak" in escape.open else escape.stopped_by("weak")
    return f"| `{escape.name}` | {escape.tries} | {escape.stopped} | {weak} |"


def test_the_table_of_the_documentation_is_the_list() -> None:
    rows = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert [line for line in rows if line in set(map(row, escapes()))] == [row(escape) for escape in escapes()]


def test_a_verdict_does_not_believe_the_code() -> None:
    """An attempt that did not run, or that harms silently, counts as an escape."""
    place("weak")
    silent = Escape(name="x", tries="", code="pass", says="REFUSED", stopped="")
    assert try_escape(place("weak"), silent).escaped
    harm = "open(bait['outside'] + '/x', 'w').write('x'); print('REFUSED')"
    harmed = try_escape(place("unconfined"), Escape(name="x", tries="", code=harm, says="REFUSED", stopped=""))
    assert harmed.why == ("files outside were changed",)
    # Only one that has left the kernel's group outlives it, so the attempt waits until it has.
    apart = "    os.setsid()\n    os.write(gone, b'.')\n    time.sleep(30)\n    os._exit(0)\n"
    left = f"import time\nheard, gone = os.pipe()\nif not os.fork():\n{apart}os.read(heard, 1)\nprint('REFUSED')"
    verdict = try_escape(place("unconfined"), Escape(name="x", tries="", code=left, says="REFUSED", stopped=""))
    assert verdict.why == ("1 process(es) were left behind",)
    caught = try_escape(
        place("unconfined"), Escape(name="x", tries="", code="print(bait['calls'])", says="x", stopped="")
    )
    assert "raised" in caught.why[0]


def test_an_attempt_without_its_prelude_is_not_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that ends at its limit and needs nothing of the prelude looks stopped where it was not tried as it is."""
    endless = ESCAPES["endless-loop"]
    monkeypatch.setattr("sealegs.sandbox.escapes.PRELUDE", "1 / 0  # {bait}")
    assert try_escape(place("weak"), endless).why == (
        "it was not tried: the prelude ended otherwise than it should: raised",
    )


@pytest.mark.parametrize(
    ("how", "made", "wrong"),
    [
        ("violated", 100, ""),
        ("violated", 99, "99 call(s)"),
        ("violated", 101, "101 call(s)"),
        ("timeout", 83, "83 call(s)"),
    ],
)
def test_the_limit_of_calls_is_exact(how: How, made: int, wrong: str) -> None:
    """It has time enough to come to its limit on any machine, so that fewer calls prove nothing."""
    error = "calls beyond the limit"
    turn = CodeTurn("", error, how, (CompletedCall("price", {}, Value(12)),) * made, 0.5, alive=False)
    found = list(_seen(ESCAPES["flood-of-calls"], turn, "a secret", LIMITS))
    assert bool(found) == bool(wrong)
    assert not wrong or f"the host's log has {wrong} instead of 100" in found
