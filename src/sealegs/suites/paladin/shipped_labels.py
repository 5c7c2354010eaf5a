"""The two labelled sets of traces that ship with the suite (see `labelled/README.md`)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from sealegs.scoring.trace_labels import Labels, labels_in
from sealegs.suites.paladin.graders import NamedTrace, grade_by_code
from sealegs.suites.paladin.paladin_logs import paladin_episode_from
from sealegs.traces import build_record, decode_event

SHIPPED: Mapping[str, tuple[str, str]] = {  # by name: the labels, and the traces that they are of
    "labels": ("labels.csv", "traces.jsonl.gz"),
    "fresh": ("fresh.csv", "fresh.jsonl.gz"),
}
CODE: Mapping[str, str] = {"code": "labels", "fresh-code": "fresh"}  # the code grader's on the same traces
LABEL_SETS = (*SHIPPED, *CODE)


def label_set(name: str) -> Labels:
    """The labels of one of `LABEL_SETS`."""
    if name in CODE:
        return grade_by_code(labelled_traces(CODE[name]))
    return {id: dict(labels) for id, labels in shipped_labels(name).items()}


@cache
def shipped_labels(name: str = "labels") -> Labels:
    """The labels of a set that ships with the suite."""
    file = SHIPPED[name][0]
    text = resources.files("sealegs.suites.paladin.labelled").joinpath(file).read_text(encoding="utf-8")
    return labels_in(text, file)


@cache
def labelled_traces(name: str = "labels") -> Sequence[NamedTrace]:
    """The traces that the labels of a shipped set are of."""
    packed = resources.files("sealegs.suites.paladin.labelled").joinpath(SHIPPED[name][1]).read_bytes()
    found = []
    for line in gzip.decompress(packed).decode("utf-8").splitlines():
        item = json.loads(line)
        read = build_record(decode_event(event) for event in item["events"])
        found.append(NamedTrace(item["id"], paladin_episode_from(read.about), read))
    return tuple(found)
