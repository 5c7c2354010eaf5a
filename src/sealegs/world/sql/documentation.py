"""The documentation of each function for agents: by rule, or in a model's words where they pass the checks.

The rule's text says what the SQL does in the schema's words and never holds a value. A model is asked up to three
times; its text must have the required fields, describe the function's arguments and no others, tell no value of the
questions, and not print the text of another function of the database. Where none of its answers will do, the rule's
text stays, and is counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from sealegs.world.sql.documentation_overlap import Words, contains_run, telling_words
from sealegs.world.sql.drafts import FunctionDraft
from sealegs.world.sql.schema import in_words

Write = Callable[[str], str]
ATTEMPTS = 3
SIDE_BY_SIDE = 8
AFTER = "rule after model"
SHORTEST_LITERAL = 3  # shorter ones stand in any text

PROMPT = """\
Write the documentation of a function for the programmers who will search for it and call it.

The function reads the database "{database}". It runs this SQL, where :arg_0 and so on are its arguments:

{sql}

In plain words: {description}
Its arguments: {arguments}

Answer with one JSON object and nothing else:
{{"description": "what it finds, in one to three sentences", "parameters": {shape}}}

Describe every argument under its own name. Say what the answer means, as one would say it to a colleague, and not how
it is computed. Do not name SQL, and give no example values.
"""
AGAIN = "\nYour last answer will not do: {problem}. Give the whole object again.\n"


class RejectedText(ValueError):
    """A model's text fails a check. The message says which."""


@dataclass(frozen=True)
class DocumentedFunction:
    """A function with its documentation.

    Attributes:
        draft: the function.
        description: what it finds.
        parameters: what each parameter is, by name.
        by: who wrote it: `rule`, `model`, or `rule after model` where no answer of a model would do.
    """

    draft: FunctionDraft
    description: str
    parameters: Mapping[str, str]
    by: str = "rule"


def document_by_rule(drafts: Iterable[FunctionDraft]) -> list[DocumentedFunction]:
    """The documentation that follows from the SQL and the schema."""
    return [
        DocumentedFunction(
            one,
            f"{one.description} Data: {in_words(one.database)}.",
            {parameter.name: parameter.description for parameter in one.parameters},
        )
        for one in drafts
    ]


def document_by_model(drafts: Sequence[FunctionDraft], write: Write) -> list[DocumentedFunction]:
    """The documentation in a model's words, where they pass the checks.

    Args:
        drafts: the functions.
        write: the model: a prompt in, its text out. It is called from several threads; what it raises counts as an
            answer that will not do.
    """
    rules = document_by_rule(drafts)
    others: dict[str, list[Words]] = {}
    for one in rules:
        others.setdefault(one.draft.database, []).append(telling_words(one.description))
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        written = list(pool.map(lambda one: _written(one, write, others[one.draft.database]), rules))
    return _apart(written, rules)


def _apart(written: Sequence[DocumentedFunction], rules: Sequence[DocumentedFunction]) -> list[DocumentedFunction]:
    """The documentation, by rule where a model's text prints the text that a model gave another function."""
    texts: dict[str, list[Words]] = {}
    for one in written:
        texts.setdefault(one.draft.database, []).append(telling_words(one.description))
    return [
        replace(rule, by=AFTER) if one.by == "model" and _printed(one.description, rule, texts) else one
        for one, rule in zip(written, rules, strict=True)
    ]


def _printed(text: str, rule: DocumentedFunction, texts: Mapping[str, Sequence[Words]]) -> bool:
    own = telling_words(text)
    return any(words != own and contains_run(own, words) for words in texts[rule.draft.database])


def documentation_prompt(rule: DocumentedFunction) -> str:
    """The prompt to a model for one function."""
    arguments = "; ".join(f"{name}: {words}" for name, words in rule.parameters.items()) or "none"
    shape = json.dumps(dict.fromkeys(rule.parameters, "what it is"))
    return PROMPT.format(
        database=in_words(rule.draft.database),
        sql=rule.draft.sql,
        description=rule.description,
        arguments=arguments,
        shape=shape,
    )


def read_documentation(text: str, rule: DocumentedFunction) -> DocumentedFunction:
    """A model's text as documentation.

    Raises:
        RejectedText: it fails a check.
    """
    found = _object(text)
    description, parameters = found.get("description"), found.get("parameters", {})
    if not isinstance(description, str) or not description.strip():
        raise RejectedText("the field description is missing or empty")
    if not isinstance(parameters, Mapping):
        raise RejectedText("the field parameters is not an object")
    wanted = set(rule.parameters)
    if parameters.keys() != wanted:
        raise RejectedText(f"the parameters are {sorted(parameters)}, and must be {sorted(wanted)}")
    if any(not isinstance(words, str) or not words.strip() for words in parameters.values()):
        raise RejectedText("a parameter's description is missing or empty")
    if leaked := _leaked(" ".join([description, *parameters.values()]), rule):
        raise RejectedText(f"it tells a value: {leaked!r}")
    return DocumentedFunction(
        rule.draft, description.strip(), {name: parameters[name].strip() for name in rule.parameters}, "model"
    )


def _written(rule: DocumentedFunction, write: Write, others: Sequence[Words]) -> DocumentedFunction:
    prompt = documentation_prompt(rule)
    problem = ""
    for _ in range(ATTEMPTS):
        try:
            found = read_documentation(write(prompt + (AGAIN.format(problem=problem) if problem else "")), rule)
            own = telling_words(found.description)
            if any(contains_run(own, words) for words in others if words != telling_words(rule.description)):
                raise RejectedText("it holds the whole text of another function; say it in other words")
            return found
        except Exception as error:  # whatever a model's client raises is an answer that did not come
            problem = str(error) if isinstance(error, RejectedText) else "there was no answer"
    return replace(rule, by=AFTER)


def _object(text: str) -> Mapping[str, Any]:
    fenced = re.search(r"```(?:json)?\s*(.*?)```", text, re.DOTALL)
    try:
        found = json.loads(fenced[1] if fenced else text)
    except (ValueError, TypeError) as error:
        raise RejectedText("it is not a JSON object") from error
    if not isinstance(found, Mapping):
        raise RejectedText("it is not a JSON object")
    return found


def _leaked(text: str, rule: DocumentedFunction) -> str:
    """A value of a parameter that stands in the text, though the rule's text has no such word."""
    own = " ".join([rule.description, *rule.parameters.values()])
    for literal in sorted(rule.draft.literals):
        if len(literal) >= SHORTEST_LITERAL and _stands(literal, text) and not _stands(literal, own):
            return literal
    return ""


def _stands(literal: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(literal)}(?!\w)", text, re.IGNORECASE) is not None


__all__ = [
    "ATTEMPTS",
    "DocumentedFunction",
    "RejectedText",
    "Write",
    "document_by_model",
    "document_by_rule",
    "documentation_prompt",
    "read_documentation",
]
