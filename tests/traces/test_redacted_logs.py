"""Inspect's logs hold secrets as they are; their copies hold none, and Inspect reads them as it does the logs."""

from __future__ import annotations

import json
import re
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sealegs.faults.user_error import UserError
from sealegs.traces.inspect_logs import log_entries
from sealegs.traces.redacted_logs import LogRedactor, write_redacted_log
from sealegs.traces.redaction import redactor_for
from tests import needs
from tests.cli.test_run import sealegs

pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))

KEY = "sk-proj-" + "Ab3" * 12
WORD = "correct horse battery"
LONG = f"The letter of the bank. {'All is well. ' * 12}Use {KEY} for it."


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a small eval: one call of a tool with secrets in it, and a long answer that has one."""
    from inspect_ai import Task
    from inspect_ai import eval as inspect_eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate, use_tools
    from inspect_ai.tool import Tool, tool

    @tool
    def login() -> Tool:
        async def execute(user: str, password: str) -> str:
            """Log in.

            Args:
                user: who.
                password: how.
            """
            return LONG

        return execute

    outputs = [
        ModelOutput.for_tool_call("mockllm/model", "login", {"user": "ann", "password": WORD}),
        ModelOutput.from_content("mockllm/model", "The balance is 12."),
    ]
    for output in outputs:
        output.usage = ModelUsage(
            input_tokens=1, output_tokens=1, total_tokens=2
        )  # else it would count, by the network
    samples = [Sample(f"Log in with {KEY}.", target="12")]
    task = Task(samples, solver=[use_tools(login()), generate()], scorer=includes())
    place = tmp_path_factory.mktemp("logs")
    model = get_model("mockllm/model", custom_outputs=outputs)
    [done] = inspect_eval(task, model=model, log_dir=str(place), display="none")
    assert done.status == "success", done.error
    return Path(str(done.location).removeprefix("file://"))


def held(log: Path) -> str:
    return "\n".join(content.decode() for _, content in log_entries(log, []))


def test_a_copy_holds_no_secret_and_is_read_as_the_log_is(log: Path, tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log, resolve_sample_attachments

    out = tmp_path / "copy.eval"
    assert write_redacted_log(log, out) == ()
    assert min(held(log).count(KEY), held(log).count(WORD)) > 1, "what Inspect writes is not redacted"
    assert (KEY in held(out), WORD in held(out)) == (False, False)
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    one, two = (read_eval_log(str(file)) for file in (log, out))
    assert one.results == two.results
    [before], [after] = one.samples or [], two.samples or []
    assert [message.role for message in after.messages] == [message.role for message in before.messages]
    assert after.output.completion == before.output.completion
    resolved = resolve_sample_attachments(after, "full")
    marks = set(re.findall(r"\[redacted:[0-9a-f]{16}\]", resolved.model_dump_json()))
    assert len(marks) == 2, "equal secrets have equal marks"
    assert "The letter of the bank." in resolved.model_dump_json()
    assert (
        not set(before.attachments)
        & set(after.attachments)
        & {key for key, text in before.attachments.items() if KEY in text}
    )
    with zipfile.ZipFile(out) as archive:
        assert archive.testzip() is None


def test_the_command_names_its_copy(log: Path) -> None:
    done = sealegs("redact", str(log), cwd=log.parent)
    copy = log.with_name(f"{log.stem}.redacted.eval")
    assert (done.returncode, done.stdout) == (0, f"Written to {copy}.\n"), done.stderr
    assert KEY not in held(copy)
    copy.unlink()


def redacted(data: Any, tmp_path: Path) -> Any:
    redactor = redactor_for(tmp_path, {}, kind=LogRedactor)
    assert redactor is not None
    return json.loads(redactor.entry(json.dumps(data).encode()))


SCHEMA = {"type": "object", "properties": {"password": {"type": "string"}, "pass_phrase": {"format": "password"}}}


def test_descriptions_of_tools_keep_their_names(tmp_path: Path) -> None:
    data = {"tools": [{"name": "login", "description": "Log in.", "parameters": SCHEMA}]}
    assert redacted(data, tmp_path) == data


@pytest.mark.parametrize(
    "data",
    [
        {"function": "login", "arguments": {"pass_phrase": WORD}},  # by its schema alone
        {
            "function": "login",
            "arguments": {"properties": {"password": {"title": WORD}}},
        },  # no schema
        {"op": "add", "path": "/store/password", "value": WORD},
        {"headers": [["Authorization", WORD], {"name": "api_key", "value": WORD}]},
        {"note": f'{{"type": "noted"}}\n{{"type": "called", "arguments": {{"password": "{WORD}"}}}}\n'},
        {"text": f"{{not JSON\n{{Bearer {KEY}"},
        {KEY: 1},
    ],
)
def test_wherever_a_secret_is(tmp_path: Path, data: dict[str, Any]) -> None:
    tools = [{"name": "login", "description": "Log in.", "parameters": SCHEMA}]
    found = json.dumps(redacted({"tools": tools, "part": data}, tmp_path))
    assert (WORD in found, KEY in found) == (False, False)
    assert "[redacted:" in found


def test_what_cannot_be_redacted_is_refused(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="is the log itself"):
        write_redacted_log(log, log)
    with pytest.raises(UserError, match=r"ends in \.eval"):
        write_redacted_log(tmp_path / "log.json", tmp_path / "copy")
    with zipfile.ZipFile(tmp_path / "odd.eval", "w") as archive:
        archive.writestr("header.json", f"no JSON {KEY}")
    with pytest.raises(UserError, match="is not JSON"):
        write_redacted_log(tmp_path / "odd.eval", tmp_path / "copy")
    monkeypatch.setenv("SEALEGS_REDACT", "off")
    with pytest.raises(UserError, match="nothing would be taken out"):
        write_redacted_log(log, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param({"password": f"attachment://{'a' * 32}", "attachments": {"a" * 32: WORD}}, id="a long text"),
        pytest.param({"op": "replace", "path": "/password", "value": "new", "replaced": WORD}, id="what was replaced"),
        pytest.param({"op": "add", "path": "/passwords/1", "value": WORD}, id="one of several"),
        pytest.param({"op": "add", "path": "/store/password/current", "value": WORD}, id="within a secret"),
        pytest.param({"type": "Feature", "properties": {"password": WORD}}, id="an answer with properties"),
        pytest.param({"name": "Authorization", "value": WORD, "enabled": True}, id="a pair with a third field"),
        pytest.param({"credentials": {KEY: "x"}}, id="a key within a secret"),
    ],
)
def test_a_secret_goes_wherever_its_name_is(data: dict[str, Any], tmp_path: Path) -> None:
    text = json.dumps(redacted(data, tmp_path))
    assert WORD not in text
    assert KEY not in text


def test_a_long_text_stays_where_nothing_calls_it_a_secret(tmp_path: Path) -> None:
    data = {"body": f"attachment://{'a' * 32}", "attachments": {"a" * 32: "All is well."}}
    assert redacted(data, tmp_path) == data
