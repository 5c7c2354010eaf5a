"""The glossary explains each name from the code that users read in tables and type in commands.

It covers agents that ship, modes and terms of `maze`; that every other word of our own has an entry is for readers.
"""

from __future__ import annotations

import re

import pytest

from sealegs.agents import CODERS, SCRIPTED
from sealegs.agents.backbones import BACKBONES
from sealegs.scenarios import MODES
from sealegs.scoring.attribution import TERMS
from sealegs.suites.inspect_eval.reference_agents import REFERENCE_AGENTS
from tests.docs.pages import text_of

GLOSSARY = text_of("docs/glossary.md")
ENTRY = re.compile(r"^(?P<words>\*\*.+?\*\*): (?P<meaning>.+?)$(?=\n\n|\n?\Z)", re.MULTILINE | re.DOTALL)
ENTRIES = {
    word.lower(): entry["meaning"]
    for entry in ENTRY.finditer(GLOSSARY)
    for word in re.findall(r"\*\*(.+?)\*\*(?!\*)", entry["words"])
}


@pytest.mark.parametrize("agent", sorted({*SCRIPTED, *CODERS, *BACKBONES, *REFERENCE_AGENTS}))
def test_each_agent_that_ships_has_an_entry(agent: str) -> None:
    assert agent in ENTRIES


@pytest.mark.parametrize("term", TERMS)
def test_each_term_for_a_failed_episode_has_an_entry(term: str) -> None:
    assert term in ENTRIES


@pytest.mark.parametrize(
    "word", ["victim", "moment", "exposure", r"c\*", "masked fault", "repaired", "chunk", "watcher"]
)
def test_each_of_these_words_of_our_own_has_one_sentence(word: str) -> None:
    assert len(re.findall(r"\.(?:\s|\Z)", ENTRIES[word])) == 1


@pytest.mark.parametrize("mode", MODES)
def test_each_mode_is_explained(mode: str) -> None:
    assert re.search(rf"\b{mode} \([^)]+\)", ENTRIES["mode"])


def test_what_is_in_italics_has_an_entry() -> None:
    used = re.findall(r"(?<!\*)\*([^*\\]+)\*(?!\*)", re.sub(r"^\*\*.+?\*\*:", "", GLOSSARY, flags=re.MULTILINE))
    missing = {" ".join(word.lower().split()) for word in used} - {"italics"}
    missing = {word for word in missing if not any(word in forms(entry) for entry in ENTRIES)}
    assert missing == set()


def forms(word: str) -> set[str]:
    """A word as a sentence may have it."""
    return {word, f"{word}s", f"{word}es", re.sub(r"y$", "ies", word)}
