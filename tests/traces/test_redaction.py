"""What looks like a secret is in no file of records; what does not stays; equal values stay equal, and replays work."""

import json
import re
import stat
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults import ToolSpec
from sealegs.faults.call import Call, Value
from sealegs.faults.user_error import UserError
from sealegs.inject import Session, VirtualClock
from sealegs.traces import Recorder, Store, build_record, read_episodes
from sealegs.traces.archive import Archive
from sealegs.traces.events import EpisodeStarted
from sealegs.traces.observed import trace_from_events
from sealegs.traces.process_environment import environment_session
from sealegs.traces.redaction import KEY_FILE, redactor_for
from tests.traces.secret_samples import HARMLESS, SECRETS

PARTS = ("key", "REDACTED")


def _answer(answer: Any, call: Call) -> Value:
    return Value(answer)


def recorded(file: Path, *calls: tuple[dict[str, Any], Any], specs: tuple[ToolSpec, ...] = ()) -> str:
    """The file after an episode of these calls and answers."""
    clock = VirtualClock()
    recorder = Recorder(clock)
    session = Session(clock=clock, watcher=recorder, specs=specs)
    recorder.start("one", {"tools": [{"name": one.name, "parameters": one.parameters} for one in specs]})
    for arguments, answer in calls:
        session.call("tool", arguments, partial(_answer, answer))
    recorder.finish("answered", answer="done")
    store = Store(file)
    store.append(recorder.events)
    store.close()
    return file.read_text(encoding="utf-8")


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_a_secret_is_in_no_record(tmp_path: Path, text: str, secret: str) -> None:
    """In an argument, in the middle of prose, in an answer, deep in data, and within JSON that is text."""
    whole = recorded(
        tmp_path / "a.jsonl",
        ({"query": text}, {"deep": [{"note": f"see {text} there"}]}),
        ({"body": json.dumps({"inner": text})}, "fine"),
    )
    assert secret not in whole
    assert json.dumps(secret)[1:-1] not in whole
    assert "[redacted:" in whole


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(tmp_path: Path, text: str) -> None:
    assert json.dumps(text)[1:-1] in recorded(tmp_path / "a.jsonl", ({"query": text}, text))


@pytest.mark.parametrize("name", ["password", "apiKey", "API-Key", "client_secret", "X-Api-Key", "dbPassword", "token"])
def test_a_parameter_that_is_named_so(tmp_path: Path, name: str) -> None:
    whole = recorded(tmp_path / "a.jsonl", ({name: "hunter2"}, {"got": {name: "hunter2"}}))
    assert "hunter2" not in whole
    assert len(set(re.findall(r"\[redacted:(\w+)\]", whole))) == 1, "equal values stay equal"


@pytest.mark.parametrize("name", ["page_token", "nextPageToken", "max_tokens", "keyword", "author", "secretary"])
def test_a_parameter_that_only_sounds_so(tmp_path: Path, name: str) -> None:
    assert "abcdefgh" in recorded(tmp_path / "a.jsonl", ({name: "abcdefgh"}, "x"))


def test_what_a_schema_declares(tmp_path: Path) -> None:
    shape = {"properties": {"phrase": {"type": "string", "format": "password"}, "pin": {"writeOnly": True}, "q": {}}}
    whole = recorded(
        tmp_path / "a.jsonl",
        ({"phrase": "open sesame", "pin": 4711, "q": "open"}, 1),
        specs=(ToolSpec("tool", "", shape),),
    )
    assert "sesame" not in whole
    assert "4711" not in whole
    assert '"q": "open"' in whole


@pytest.mark.parametrize(
    "value",
    [
        {"password": {"value": "hunter2"}},
        {"passwords": ["hunter2"]},
        {"secrets": {"db": "hunter2"}},
        {"cookies": {"sid": "hunter2"}},
        [["authorization", "hunter2"]],
        [{"name": "Authorization", "value": "hunter2"}],
        {"password": 4711_0815},
        {"sk-" + "proj-hunter2ABC": 1},
    ],
)
def test_a_name_covers_all_that_it_holds(tmp_path: Path, value: Any) -> None:
    whole = recorded(tmp_path / "a.jsonl", ({"query": value}, value))
    assert "hunter2" not in whole
    assert "47110815" not in whole


@pytest.mark.parametrize("value", [{"tokens": ["the", "cat"]}, {"usage": {"tokens": 5}}, {"name": "price", "value": 3}])
def test_names_of_what_is_no_secret_cover_nothing(tmp_path: Path, value: Any) -> None:
    assert json.dumps(value) in recorded(tmp_path / "a.jsonl", ({"query": value}, value))


def test_a_schema_speaks_of_its_own_tool_and_never_of_the_record_itself(tmp_path: Path) -> None:
    """A parameter may be named as a field of records is."""
    shape = {"properties": {"value": {"format": "password"}, "message": {"writeOnly": True}}}
    whole = recorded(
        tmp_path / "a.jsonl",
        ({"value": "hunter2", "message": "open sesame"}, "stored"),
        specs=(ToolSpec("tool", "", shape), ToolSpec("other", "", {"properties": {"text": {}}})),
    )
    assert "hunter2" not in whole
    assert "sesame" not in whole
    assert '{"value": "stored"}' in whole
    clock = VirtualClock()
    recorder = Recorder(clock)
    session = Session(clock=clock, watcher=recorder)
    recorder.start("two", {"tools": [{"name": "tool", "parameters": shape}]})
    session.call("other", {"value": "plain"}, partial(_answer, "fine"))
    recorder.finish("answered")
    store = Store(tmp_path / "b.jsonl")
    kept = store.append_and_read(recorder.events)
    store.close()
    assert '{"value": "plain"}' in (tmp_path / "b.jsonl").read_text("utf-8")
    assert kept == next(iter(read_episodes(tmp_path / "b.jsonl")))


def test_a_schema_is_read_at_any_depth(tmp_path: Path) -> None:
    shape = {
        "$defs": {"Login": {"properties": {"pw": {"type": "string", "format": "password"}}}},
        "properties": {"login": {"$ref": "#/$defs/Login"}},
    }
    whole = recorded(tmp_path / "a.jsonl", ({"login": {"pw": "hunter2"}}, 1), specs=(ToolSpec("tool", "", shape),))
    assert "hunter2" not in whole


def test_what_an_episode_is_about_is_searched_and_tools_can_still_be_replayed(tmp_path: Path) -> None:
    """A plan's own words, and the examples in a tool's schema; names and types stay."""
    shape = {
        "description": "Ask with api_key=hunter2xyz",
        "properties": {
            "password": {"type": "string", "default": "hunter2", "examples": ["hunter2b"]},
            "pin": {"writeOnly": True, "default": 4711},
            "unit": {"enum": ["km", "mi"], "default": "km"},
        },
    }
    recorder = Recorder(VirtualClock())
    plan = {"rules": [{"fault": {"error": {"message": "refused: password=hunter2"}}}]}
    recorder.start("one", {"plan": plan, "tools": [{"name": "tool", "parameters": shape}]})
    recorder.finish("answered")
    store = Store(tmp_path / "a.jsonl")
    (kept, *_) = store.append_and_read(recorder.events)
    store.close()
    whole = (tmp_path / "a.jsonl").read_text("utf-8")
    assert "hunter2" not in whole
    assert "4711" not in whole
    assert isinstance(kept, EpisodeStarted)
    properties = kept.about["tools"][0]["parameters"]["properties"]
    assert properties["password"]["type"] == "string"
    assert properties["unit"] == shape["properties"]["unit"]  # type: ignore[index]


def test_the_live_record_of_a_process_knows_the_schema_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("name: none\n", "utf-8")
    monkeypatch.setenv("SEALEGS_PLAN", str(plan))
    monkeypatch.setenv("SEALEGS_RECORDS", str(tmp_path / "records"))
    shape = {"properties": {"phrase": {"format": "password"}}}
    (tmp_path / "records").mkdir()
    with environment_session([ToolSpec("tool", "", shape)]) as session:
        assert session is not None
        session.call("tool", {"phrase": "open sesame"}, partial(_answer, "in"))
        live = b"".join(file.read_bytes() for file in (tmp_path / "records").iterdir())
        assert b'"called"' in live
        assert b"sesame" not in live
    whole = b"".join(file.read_bytes() for file in (tmp_path / "records").iterdir())
    assert b'"ended"' in whole
    assert b"sesame" not in whole


def test_a_text_that_is_json_stays_json(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    recorded(file, ({}, json.dumps({"name": "al", "password": "hunter2", "token": 123456})))
    (events,) = read_episodes(file)
    answered = build_record(events).turns[0].shown
    assert isinstance(answered, Value)
    assert json.loads(answered.value).keys() == {"name", "password", "token"}


def test_digests_are_keyed_by_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def digest(folder: str, file: str = "a.jsonl") -> str:
        (found,) = set(re.findall(r"redacted:(\w+)", recorded(tmp_path / folder / file, ({"password": "x1"}, 1))))
        return str(found)

    assert digest("one") == digest("one", "b.jsonl") != digest("two")
    monkeypatch.setenv("SEALEGS_REDACTION_KEY", "ours")
    assert digest("three") == digest("four")
    assert not (tmp_path / "four" / KEY_FILE).exists()


def test_files_are_their_owners_alone(tmp_path: Path) -> None:
    recorded(tmp_path / "a.jsonl", ({"password": "x1"}, 1))
    for file in (tmp_path / "a.jsonl", tmp_path / KEY_FILE):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_it_can_be_switched_off_and_extended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEALEGS_REDACT_NAMES", "patient, iban")
    assert "Ada" not in recorded(tmp_path / "a.jsonl", ({"patient": "Ada"}, 1))
    monkeypatch.setenv("SEALEGS_REDACT", "off")
    assert "hunter2" in recorded(tmp_path / "b.jsonl", ({"password": "hunter2"}, 1))
    monkeypatch.setenv("SEALEGS_REDACT", "no")
    with pytest.raises(UserError, match="SEALEGS_REDACT is 'no'; give on, or off"):
        redactor_for(tmp_path)


def test_a_replay_answers_the_call_whose_secret_the_record_lacks(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    recorded(file, ({"user": "ada", "password": "hunter2"}, "in"), ({"user": "bob", "password": "other"}, "out"))
    (events,) = read_episodes(file)
    archive = Archive(trace_from_events(events))
    assert archive.run(Call("tool", {"user": "bob", "password": "other"}, "2")) == Value("out")
    assert archive.run(Call("tool", {"user": "ada", "password": "hunter2"}, "1")) == Value("in")


@pytest.mark.parametrize(
    "kept",
    [
        {"patient": "Ada"},
        {"patient": {"name": "Ada", "born": 1815}},
        {"patient": ["Ada", 7]},
        {"by": [{"patient": "A"}]},
    ],
)
def test_a_replay_needs_not_know_which_names_were_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: dict[str, Any]
) -> None:
    """Not a schema that the replayed tool no longer declares, and not what the environment held then."""
    monkeypatch.setenv("SEALEGS_REDACT_NAMES", "patient")
    file = tmp_path / "a.jsonl"
    recorded(file, ({"ward": 1, **kept}, "one"), ({"ward": 2, **kept}, "two"))
    monkeypatch.delenv("SEALEGS_REDACT_NAMES")
    (events,) = read_episodes(file)
    archive = Archive(trace_from_events(events))
    assert archive.run(Call("tool", {"ward": 2, **kept}, "2")) == Value("two")
    assert archive.run(Call("tool", {"ward": 1, **kept}, "1")) == Value("one")


@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_redacting_twice_is_redacting_once(value: Any) -> None:
    redactor = redactor_for(None, {"SEALEGS_REDACTION_KEY": "k"})
    assert redactor is not None
    once = redactor.redacted({"password": "secret-words", "value": value})
    assert redactor.redacted(once) == once
