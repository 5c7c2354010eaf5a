"""What a request's body becomes as an argument, by its content type and its path."""

from __future__ import annotations

from typing import Any

import pytest

from sealegs.adapters.body_cutters import Head
from sealegs.adapters.bridge import data_of
from sealegs.adapters.wire import HttpAnswer, arguments_of
from sealegs.faults import Value
from sealegs.faults.model_apis import asks_model

JSON, FORM, NONE = "application/json", "application/x-www-form-urlencoded", ""
DEEP = b"[" * 100_000 + b"]" * 100_000
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
        ("/orders", JSON, b"[" * 201 + b"]" * 201, "[" * 201 + "]" * 201),
        ("/orders", JSON, b"[" * 100_000, "[" * 100_000),
        ("/orders", JSON, b'["' + b"[" * 300 + b'"]', ["[" * 300]),
    ],
)
def test_bodies(path: str, kind: str, body: bytes, expected: Any) -> None:
    headers = [("Content-Type", kind)] if kind else []
    assert arguments_of("POST", path, "", body, headers)["body"] == expected


@pytest.mark.parametrize("deep", [b"[" * 300 + b"]" * 300, DEEP], ids=len)
def test_an_answer_that_is_nested_too_deeply_is_text(deep: bytes) -> None:
    assert HttpAnswer(Head(200, (("content-type", JSON),)), deep, deep).outcome() == Value(deep.decode())


def test_a_text_that_is_nested_too_deeply_is_no_data() -> None:
    assert data_of(DEEP.decode()) == DEEP.decode()


def test_only_posts_to_a_model_s_path_are_read_as_json_without_the_header() -> None:
    assert arguments_of("PUT", "/v1/messages", "", QUESTION, [])["body"] == QUESTION.decode()
    assert asks_model(arguments_of("POST", "/v1/responses", "", QUESTION, [("content-type", FORM)])["body"])
