from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from sealegs.tasks.similarity import jaccard
from sealegs.training.data.near_duplicates import TrajectorySet, text_digest, trajectory_features
from tests.training.made import rows

SETS = st.lists(st.frozensets(st.integers(0, 30), min_size=1), max_size=8)


@given(SETS, st.floats(0.1, 1))
def test_near_is_what_comparing_every_pair_says(sets: list[frozenset[int]], nearest: float) -> None:
    known = TrajectorySet(nearest)
    for number, marked in enumerate(sets):
        wanted = any(jaccard(marked, before) > nearest for before in sets[:number])
        assert (known.like("task", number, tuple(sorted(marked))) == "near") == wanted
        known.add("task", number, tuple(sorted(marked)))


def test_another_wording_is_no_other_trajectory() -> None:
    row = rows()[0]
    messages = [{**m, "content": "Other words."} if m["role"] == "assistant" else m for m in row["messages"]]
    other = {**row, "messages": messages}
    assert trajectory_features(other) == trajectory_features(row)
    assert text_digest(other) != text_digest(row)


def test_rows_of_other_tasks_are_not_alike() -> None:
    some = rows()[:40]
    for one, other in combinations(some, 2):
        if one["base_task"] != other["base_task"]:
            assert jaccard(frozenset(trajectory_features(one)), frozenset(trajectory_features(other))) < 0.9
