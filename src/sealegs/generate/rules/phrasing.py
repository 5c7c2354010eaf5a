"""A request in words by a small grammar, from the descriptions of tools and fields.

Each node is one request: what its tool does by its description, the values that the user gives, and what it takes from
earlier requests. It is plain and a little stiff; a model can reword it (`staged.naturalise`). English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from sealegs.generate.rules.graph_search import NodeValue, Sketch
from sealegs.generate.rules.vocabulary import CorpusVocabulary
from sealegs.tasks.graph import Binding, Deliverable, Field, Graph, Node, Step, UserInput
from sealegs.tasks.value_matching import MONTHS
from sealegs.world.corpus import Corpus
from sealegs.world.tool import SimulatedTool

ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
ORDINALS += ["eleventh", "twelfth"]
OPENINGS = [
    "Could you take care of a few things for me, in this order?",
    "I need some things done that build on one another.",
    "Please see to the following for me.",
    "There is a small chain of errands here, if you have a moment.",
    "Would you handle these for me, please?",
]
CLOSINGS = ["Please tell me {}.", "In the end I need to know {}.", "Let me have {}.", "What I want back: {}."]
NOUNS = re.compile(r"^(?:Weather|Lowest|Distance|Sunrise|A |The )")
FEWEST, MOST = 2, 4  # deliverables


def deliverables(
    sketch: Sketch, vocabulary: CorpusVocabulary, draw: Random, fewest: int = FEWEST, most: int = MOST
) -> tuple[Deliverable, ...] | None:
    """The values that the user wants to know: something of every node that no other reads; None if that is too much.

    Numbers that a text could hold by chance are left out.
    """
    chosen: list[NodeValue] = []
    for node in sketch.unread:
        own = [held for held in sketch.held if held.field.node == node and _tellable(held)]
        if not own:
            return None
        # Fields that people have asked for in tasks, before those that only a tool's schema knows.
        usual = [held for held in own if held.path.split(".")[-1] in vocabulary.requested_fields]
        chosen.append(draw.choice(usual or own))
    rest = [h for h in sketch.held if _tellable(h) and h not in chosen and h.path in vocabulary.requested_fields]
    while len(chosen) < fewest and rest:
        chosen.append(rest.pop(draw.randrange(len(rest))))
    values = {str(held.value).casefold() for held in chosen}
    # Two deliverables with one value could not be distinguished in an answer.
    if not fewest <= len(chosen) <= most or len(values) < len(chosen):
        return None
    labels = [label_by_rules(held, vocabulary.corpus, sketch.graph) for held in chosen]
    return tuple(Deliverable(label, held.field) for label, held in zip(labels, chosen, strict=True))


def phrase_request(sketch: Sketch, wanted: Sequence[Deliverable], corpus: Corpus, draw: Random) -> str:
    """The request."""
    order = {node.id: number for number, node in enumerate(sketch.graph.nodes)}
    requests = [_request(node, sketch.inputs, corpus, order) for node in sketch.graph.nodes]
    sentences = [f"{ORDINALS[number].capitalize()}, {request}." for number, request in enumerate(requests)]
    requested = _listed([deliverable.label for deliverable in wanted])
    return " ".join([draw.choice(OPENINGS), *sentences, draw.choice(CLOSINGS).format(requested)])


def _request(node: Node, inputs: Mapping[str, Any], corpus: Corpus, order: Mapping[str, int]) -> str:
    if isinstance(node, Step):
        clause, given = _clause(corpus.tools[node.tool].description), node.arguments
    else:
        pattern = corpus.groups[node.pattern]
        clause, given = _clause(pattern.purpose), pattern.bindings(node)
    phrases = [
        f"{_words(name)} {spoken_value(inputs[b.name])}" for name, b in given.items() if isinstance(b, UserInput)
    ]
    taken = [_taken(name, binding, node, order) for name, binding in given.items() if isinstance(binding, Field)]
    parts = [*([", ".join(phrases)] if phrases else []), *taken]
    return f"{clause}, with {_listed(parts)}" if parts else clause


def _taken(name: str, binding: Binding, node: Node, order: Mapping[str, int]) -> str:
    assert isinstance(binding, Field)
    leaf, wanted = _words(binding.path.split(".")[-1]), _words(name)
    before = order[binding.node] == order[node.id] - 1
    source = "just found" if before else f"from the {ORDINALS[order[binding.node]]} point"
    return f"the {leaf} {source}" + ("" if leaf == wanted else f" as the {wanted}")


def _clause(description: str) -> str:
    """The first clause of a description, as the rest of a sentence."""
    text = re.sub(r"\s*\([^)]*\)", "", _words(" ".join(description.split())))
    text = re.split(r"[:;]|\.(?:\s|$)", text)[0].strip()
    head = text.split(", ")[0]
    text = head if len(head) > 24 else text
    return f"look up {_lower(text)}" if NOUNS.match(text) else _lower(text)


def label_by_rules(held: NodeValue, corpus: Corpus, graph: Graph) -> str:
    """A field's description as a noun phrase, with the request it belongs to."""
    tool: SimulatedTool = corpus.tools[held.tool]
    description = tool.spec.returns.get("properties", {}).get(held.path, {}).get("description", _words(held.path))
    description = _words(description)
    description = _lower(re.split(r"[:;,(]", re.sub(r"\s*\([^)]*\)", "", description))[0].strip())
    number = next(n for n, node in enumerate(graph.nodes) if node.id == held.field.node)
    article = "" if re.match(r"(?:what|when|who|whose|how|whether|where|the|a|an|its|their)\b", description) else "the "
    return f"{article}{description} from the {ORDINALS[number]} point"


def _tellable(held: NodeValue) -> bool:
    """Return whether an answer with the value differs visibly from one without it, unlike a state or a small number."""
    if isinstance(held.value, str):
        return bool(re.search(r"\d|^[A-Z][a-z]", held.value))
    return bool(abs(held.value) >= 13 or held.value % 1 != 0)


def spoken_value(value: Any) -> str:
    """A value as a person writes it."""
    if isinstance(value, (list, tuple)):
        return _listed([spoken_value(item) for item in value])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value)
    moment = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d)(?::00)?Z?)?", text)
    if moment and 1 <= int(moment[2]) <= 12:
        day = f"{int(moment[3])} {MONTHS[int(moment[2]) - 1].capitalize()} {moment[1]}"
        return day if moment[4] is None else f"{day} at {moment[4]}"
    return text.replace("_", " ") if re.fullmatch(r"[a-z]+(?:_[a-z]+)+", text) else text


def _words(name: str) -> str:
    return name.replace("_", " ")


def _lower(text: str) -> str:
    return text if re.match(r"[A-Z]{2}", text) else f"{text[:1].lower()}{text[1:]}"


def _listed(parts: Sequence[str]) -> str:
    items = list(_nonempty(parts))
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def _nonempty(parts: Sequence[str]) -> Iterator[str]:
    yield from (part for part in parts if part)
