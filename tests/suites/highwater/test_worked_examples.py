"""The worked examples of the prompt show what the interpreter prints for their code, and answer what they say."""

from collections.abc import Mapping
from typing import Any

import pytest

from sealegs.faults.call import Outcome, Value
from sealegs.sandbox import Pool, find_isolation, launcher
from sealegs.suites.highwater.coder_prompts import coder_system_prompt
from sealegs.suites.highwater.coding_protocol import turn_observation, unwrap_observation
from sealegs.suites.highwater.problem_episodes import HighwaterEpisode, QuestionStyle, choose_problems
from sealegs.suites.highwater.worked_examples import BOATS, LAKES, ROWS, worked_examples
from sealegs.world.sql.binding import bind_arguments
from sealegs.world.sql.parameter import RowForm
from tests import needs


@pytest.mark.skipif(not find_isolation().strong, reason=needs.STRONG)
@pytest.mark.parametrize("form", ["lists", "records"])
def test_every_turn_prints_what_the_example_shows(form: RowForm) -> None:
    functions = {one.name: one for one in (LAKES, BOATS)}

    def answer(tool: str, arguments: Mapping[str, Any]) -> Outcome:
        given = bind_arguments(functions[tool].parameters, arguments)
        if not isinstance(given, dict):
            return given
        rows = ROWS[tool]
        return Value(functions[tool].as_records(rows) if form == "records" else rows)

    with Pool(launcher(), size=1) as pool:
        for example in worked_examples(form):
            kernel = pool.take()
            kernel.start([one.tool_in(form) for one in functions.values()], answer)
            for turn in example.turns:
                assert unwrap_observation(turn_observation(kernel.run(turn.code))) == turn.shown
            kernel.close()


@pytest.mark.parametrize("setting", ["open", "closed"])
@pytest.mark.parametrize("form", ["lists", "records"])
def test_the_examples_are_in_the_prompt_where_they_are_wanted(setting: str, form: RowForm) -> None:
    problem = choose_problems("", "test", 1, 0)[0].id
    without, prompt = (
        coder_system_prompt(
            HighwaterEpisode(problem, setting=setting, style=QuestionStyle(form, examples=examples)), 25
        )
        for examples in (False, True)
    )
    assert "Example 1." not in without
    assert prompt.startswith(without.rstrip("\n"))
    assert all(turn.code in prompt for example in worked_examples(form) for turn in example.turns)
    assert prompt.count("<solution>") == without.count("<solution>") + 2
    assert ("search_tools('how many boats" in prompt) == (setting == "open")
    assert "{" not in without.replace('{"name", "description"}', "") or setting == "closed"
    for telling in ("several together", "compose", "combine"):
        assert telling not in prompt
