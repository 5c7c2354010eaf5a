"""What a request's body becomes as an argument, by its content type and its path."""

from __future__ import annotations

from typing import Any

import pytest

from sealegs.adapters.wire import arguments_of
from sealegs.faults.model_apis import asks_model

JSON, FORM, NONE = "application/json", "application/x-www-form-urlencoded", ""
QUESTION = b'{"model": "gpt-5", "messages": []}'


@pytest.mark.parametrize(
    ("path", "kind", "body", "expected"),
    [
        ("/orders", JSON, b'{"id": 1}', {"id": 1}),
        ("/orders", "application/problem+json; charset=utf-8", b'{"id": 1}', {"id": 1}),
        ("/orders", NONE, b'{"id": 1}', '{"id": 1}'),
        ("/orders", FORM, b"id=1&id=2&name=", {"id": ["1", "2"], "name": ""}),
        ("/orders", JSON, b"id=1", "id=1"),
        ("/orders", NONE, b"\xff\x00", b"\xff\x00"),
        ("/v1/chat/completions", FORM, QUESTION, {"model": "gpt-5", "messages": []}),
        ("/v1/messages", NONE, QUESTION, {"model": "gpt-5", "messages": []}),
        ("/v1/messages", FORM, b"model=gpt-5", {"model": "gpt-5"}),
        ("/v1/messages", NONE, b"\xff{", b"\xff{"),
    ],
)
def test_bodies(path: str, kind: str, body: bytes, expected: Any) -> None:
    headers = [("Content-Type", kind)] if kind else []
    assert arguments_of("POST", path, "", body, headers)["body"] == expected


def test_only_posts_to_a_model_s_path_are_read_as_json_without_the_header() -> None:
    assert arguments_of("PUT", "/v1/messages", "", QUESTION, [])["body"] == QUESTION.decode()
    assert asks_model(arguments_of("POST", "/v1/responses", "", QUESTION, [("content-type", FORM)])["body"])
