"""The stages. Each takes what is known of an item and returns what it adds, or raises `RejectedItem`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from sealegs.faults import seeds
from sealegs.generate.staged import stage_prompts
from sealegs.generate.staged.model_queries import BadAnswer, PromptedModel, RejectedItem, json_in
from sealegs.generate.staged.proposal import field_schema, field_sources, read_proposal
from sealegs.generate.task_checks import CHECKS, MOST_CALLS, CheckedTask
from sealegs.scenarios.perturbation import fitting_kinds, victims
from sealegs.scenarios.step_use import step_spec, used_fields
from sealegs.tasks import Task, count_paths, count_solutions, path_lengths
from sealegs.tasks.graph import Field, Graph
from sealegs.tasks.value_matching import contains_value
from sealegs.tasks.yaml_tasks import task_data, tasks_of
from sealegs.world.corpus import Corpus
from sealegs.world.reference_runs import Unanswerable, reference

SINGLES, GROUPS = 14, 3  # tools and groups in a sample
SHAPES = {"C1": (), "C2": ("1-to-1", "1-to-n"), "C3": ("n-to-n",), "C4": ("1-to-1", "1-to-n", "n-to-n")}
Item = Mapping[str, Any]


@dataclass(frozen=True)
class Stages:
    """The parts that the stages work with: the corpus, the model that makes, the one that judges, the seed."""

    corpus: Corpus
    maker: PromptedModel
    judge: PromptedModel
    seed: int

    async def sample(self, item: Item) -> dict[str, Any]:
        """Tools and groups to build from: two domains, each as often as any other, and everyday tools."""
        draw = seeds.stream("sample", self.seed, item["level"], item["number"])
        domains = sorted({tool.domain for tool in self.corpus.tools.values()})
        # One by turns, so that the tasks are spread over all domains; "general" goes with any of them.
        chosen = [domains[item["number"] % len(domains)], draw.choice(domains), "general"]
        kinds = SHAPES[item["level"]]
        patterns = [p for p in self.corpus.groups.values() if p.kind in kinds and self._domain(p.tools[0]) in chosen]
        groups = draw.sample(sorted(p.name for p in patterns), min(GROUPS, len(patterns)))
        barred = self.corpus.kin(tool for name in groups for tool in self.corpus.groups[name].tools)
        free = sorted(name for name in self.corpus.tools if self._domain(name) in chosen and name not in barred)
        return {"tools": draw.sample(free, min(SINGLES, len(free))), "groups": groups}

    async def architect(self, item: Item) -> dict[str, Any]:
        """A graph that a model proposes, structurally valid and with fitting types."""
        offered = [*item["tools"], *item["groups"]]
        in_groups = [tool for name in item["groups"] for tool in self.corpus.groups[name].tools]
        parts = [
            stage_prompts.tool_text(self.corpus.tools[name]) for name in dict.fromkeys([*item["tools"], *in_groups])
        ]
        parts += [stage_prompts.group_text(self.corpus.groups[name]) for name in item["groups"]]
        question = (
            f"Level {item['level']}: {stage_prompts.level_words(item['level'])}.\n\n{stage_prompts.join_texts(parts)}"
        )
        domains = {name: tool.domain for name, tool in self.corpus.tools.items()}

        def read(text: str) -> Task:
            task = read_proposal(text, item["level"], offered, self.corpus, domains)
            try:
                # Played while the model can still repair it: its next answer is asked for with the world's own words.
                reference(task, self.corpus)
            except Unanswerable as error:
                raise BadAnswer("refused by the world", str(error)) from error
            return task

        task = await self.maker.ask(stage_prompts.ARCHITECT, question, read, item["talk"])
        return {"task": task_data(task, self.corpus.groups)}

    async def meaning(self, item: Item) -> dict[str, Any]:
        """A second model's word on whether every value is what it is used as."""
        lines = self._flow(self._task(item))
        question = stage_prompts.join_texts([f"{number}. {line}" for number, line in enumerate(lines, 1)])

        def read(text: str) -> list[Any]:
            found = json_in(text)
            if not isinstance(found, dict) or not isinstance(found.get("wrong"), list):
                raise BadAnswer("wrong form", 'The answer must be {"wrong": [...]}.')
            return list(found["wrong"])

        wrong = await self.judge.ask(stage_prompts.MEANING, question, read, item["talk"])
        if wrong:
            raise RejectedItem("wrong meaning")
        return {"bindings": len(lines)}

    async def space(self, item: Item) -> dict[str, Any]:
        """The number of valid solutions and of paths, and the range of their lengths."""
        graph = self._task(item).graph
        shortest, longest = path_lengths(graph)
        if longest > MOST_CALLS:
            raise RejectedItem("too long")
        return {"solutions": count_solutions(graph), "paths": count_paths(graph), "lengths": [shortest, longest]}

    async def specification(self, item: Item) -> dict[str, Any]:
        """The graph in plain words."""
        task = self._task(item)
        steps = [{**step, "does": self._purpose(step)} for step in item["task"]["steps"]]
        facts = {"inputs": dict(task.inputs), "steps": steps, "reported": [d.label for d in task.deliverables]}
        question = json.dumps(facts, ensure_ascii=False, indent=1)
        text = await self.maker.ask(
            stage_prompts.SPECIFICATION, question, lambda text: self._clean(text, task), item["talk"]
        )
        return {"specification": text}

    async def request(self, item: Item) -> dict[str, Any]:
        """The message of a person who wants what the specification says."""
        task = self._task(item)
        values = reference(task, self.corpus).deliverables

        def read(text: str) -> str:
            words = self._clean(" ".join(text.split()).strip('"'), task)
            given = [
                label.label for label, v in zip(task.deliverables, values, strict=True) if contains_value(words, v)
            ]
            if given:
                raise BadAnswer("gives a result away", f"The message already says {', '.join(given)}.")
            return words

        words = await self.maker.ask(stage_prompts.REQUEST, item["specification"], read, item["talk"])
        return {"task": {**item["task"], "request": words}}

    async def reverse(self, item: Item) -> dict[str, Any]:
        """The calls and needs that an independent model finds in the request alone; they must equal a solution's."""
        task = self._task(item)
        names = sorted({*item["tools"], *task.graph.step_of}, key=lambda name: seeds.digest(self.seed, name))
        question = stage_prompts.reverse_question(task.request, [self.corpus.tools[name] for name in names])
        found = await self.judge.ask(stage_prompts.REVERSE, question, read_calls, item["talk"])
        if not equals_a_solution(found, task.graph):
            raise RejectedItem("not equal to a solution")
        return {"reconstructed": {tool: sorted(needs) for tool, needs in found.items()}}

    async def corruption(self, item: Item) -> dict[str, Any]:
        """The corruptions that fit each possible victim: detectable, with its keys, changing what is used."""
        task = self._task(item)
        right = reference(task, self.corpus)
        for name, check in CHECKS.items():
            for reason in check(CheckedTask(task, self.corpus, right)):
                raise RejectedItem(f"{name}: {reason}")
        nodes = [group.id for group in task.graph.groups] or list(task.graph.by_id)
        steps = [step for node in nodes for step in victims(task.graph, node) if used_fields(task.graph, step, task)]
        found = {}
        for step in steps:
            spec, others = step_spec(task, step, self.corpus), self.corpus.answered_examples(step.tool)
            kinds = fitting_kinds(task.id, step, spec, right.steps[step.id], others)
            found[step.tool] = {"used": list(spec.used), "kinds": list(kinds)}
        return {"victims": found}

    def _domain(self, tool: str) -> str:
        return self.corpus.tools[tool].domain

    def _task(self, item: Item) -> Task:
        domains = {name: tool.domain for name, tool in self.corpus.tools.items()}
        task = tasks_of([item["task"]], self.corpus.groups, domains)[0]
        return replace(task, id=f"{item['level']}-{item['number']}")

    def _purpose(self, step: Mapping[str, Any]) -> str:
        group = self.corpus.groups.get(step.get("group", ""))
        return group.purpose if group else self.corpus.tools[step["tool"]].description

    def _clean(self, text: str, task: Task) -> str:
        """Words that leak no tool or field and lack none of the user's values."""
        words = set(re.findall(r"[a-z0-9_]+", text.casefold()))
        # Names of one word are words of the language as well, and prove no leak.
        leaked = sorted(name for name in self.corpus.tools if "_" in name and name in words)
        if leaked:
            raise BadAnswer("leaked tool name", f"It names the tool {', '.join(leaked)}.")
        fields = {need.path.split(".")[-1] for step in task.graph.walk() for need in step.needs}
        leaked = sorted(name for name in fields if "_" in name and name in words)
        if leaked:
            raise BadAnswer("leaked field name", f"It names the field {', '.join(leaked)}.")
        missing = [
            name
            for name, value in task.inputs.items()
            if not isinstance(value, bool) and not contains_value(text, value)
        ]
        if missing:
            values = "; ".join(f"{name} = {task.inputs[name]}" for name in missing)
            raise BadAnswer("missing value", f"These values cannot be read from it: {values}.")
        return text.strip()

    def _flow(self, task: Task) -> list[str]:
        """Every value that one call takes from another, with what it is and what it is used as."""
        lines = []
        for step in task.graph.walk():
            schemas = self.corpus.tools[step.tool].spec.parameters.get("properties", {})
            for name, binding in step.arguments.items():
                for source in field_sources(task, binding) if isinstance(binding, Field) else ():
                    tool = task.graph.steps[source.node].tool
                    schema = field_schema(self.corpus.tools[tool].spec.returns, source.path) or {}
                    used = schemas.get(name, {}).get("description", "")
                    lines.append(
                        f"{source.path} of {tool} ({schema.get('description', '')}) as {name} of {step.tool} ({used})"
                    )
        return lines


def read_calls(text: str) -> dict[str, set[str]]:
    """Tool -> the tools whose answers it needs, from an answer.

    Raises:
        BadAnswer: it is of another form.
    """
    found = json_in(text)
    calls = found.get("calls") if isinstance(found, dict) else None
    if not isinstance(calls, list) or not all(isinstance(c, dict) and isinstance(c.get("tool"), str) for c in calls):
        raise BadAnswer("wrong form", 'The answer must be {"calls": [{"tool": ..., "needs": [...]}]}.')
    return {call["tool"]: {str(need) for need in call.get("needs") or ()} for call in calls}


def equals_a_solution(calls: Mapping[str, set[str]], graph: Graph) -> bool:
    """Return whether calls, each with its needs, are those of a solution of the graph; implied needs may be absent."""
    return any(_closure(calls) == _closure(_needs(graph, choice)) for choice in _choices(graph))


def _choices(graph: Graph) -> Sequence[Mapping[str, int]]:
    options = [range(len(group.branches)) for group in graph.groups]
    return [dict(zip((group.id for group in graph.groups), chosen, strict=True)) for chosen in product(*options)]


def _needs(graph: Graph, choice: Mapping[str, int]) -> dict[str, set[str]]:
    """The tools that each tool of a choice of branches needs."""
    chosen = {group.id: group.branches[choice[group.id]] for group in graph.groups}
    steps = [
        s for node in graph.nodes for s in (chosen[node.id].steps if node.id in chosen else [graph.steps[node.id]])
    ]

    def tool(field: Field) -> str:
        own = chosen[field.node].exports[field.path].node if field.node in chosen else field.node
        return graph.steps[own].tool

    return {step.tool: {tool(need) for need in step.needs} for step in steps}


def _closure(needs: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    """Everything that each tool needs, directly or not."""
    found = {tool: set(own) for tool, own in needs.items()}
    for _ in found:
        for own in found.values():
            own |= {far for near in own for far in found.get(near, ())}
    return {tool: frozenset(own - {tool}) for tool, own in found.items()}
