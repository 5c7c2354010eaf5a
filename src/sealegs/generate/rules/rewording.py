"""The tasks that ship, as rules word them: what a private set, which rules word too, is fairly compared with.

People wrote the requests of the shipped tasks. A model could fare worse on made tasks because of their wording alone;
between these and made tasks, what differs is that these graphs and values are public.
"""

from __future__ import annotations

from dataclasses import replace

from sealegs.faults import seeds
from sealegs.generate.rules.graph_search import Sketch
from sealegs.generate.rules.phrasing import phrase_request
from sealegs.tasks import Task
from sealegs.world.corpus import Corpus


def reworded(task: Task, corpus: Corpus) -> Task:
    """The task with a request by rules, the same each time."""
    sketch = Sketch(task.graph, task.inputs, (), ())
    words = phrase_request(sketch, task.deliverables, corpus, seeds.stream("reworded", task.id))
    return replace(task, request=words)
