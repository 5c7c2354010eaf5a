"""The tasks that ship, as rules word them: what a private set, which rules word too, is fairly compared with.

People wrote the requests of the shipped tasks, and named what is to be delivered in fewer words than rules do. A model
could fare worse on made tasks because of their wording alone; between these and made tasks, what differs is that these
graphs and values are public.
"""

from __future__ import annotations

from dataclasses import replace

from sealegs.faults import seeds
from sealegs.generate.rules.graph_search import NodeValue, Sketch, export_source
from sealegs.generate.rules.phrasing import label_by_rules, phrase_request
from sealegs.tasks import Task
from sealegs.tasks.graph import Field, Graph, Step
from sealegs.world.corpus import Corpus


def reworded(task: Task, corpus: Corpus) -> Task:
    """The task with a request and names of its deliverables by rules, the same each time."""
    sketch = Sketch(task.graph, task.inputs, (), ())
    wanted = tuple(replace(one, label=_label(one.source, task.graph, corpus)) for one in task.deliverables)
    words = phrase_request(sketch, wanted, corpus, seeds.stream("reworded", task.id))
    return replace(task, request=words, deliverables=wanted)


def _label(field: Field, graph: Graph, corpus: Corpus) -> str:
    node = next(node for node in graph.nodes if node.id == field.node)
    if isinstance(node, Step):
        tool, path = node.tool, field.path
    else:
        tool, path = export_source(corpus.groups[node.pattern].ways[0], field.path)
    return label_by_rules(NodeValue(field, None, tool, path), corpus, graph)
