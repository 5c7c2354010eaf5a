"""Checks of a finished library of functions and problems.

Every solution gives the answer; no function's documentation prints a way round it; the content of a scratchpad makes a
difference; an answer is not zero because there is nothing to count; no database gives most of the problems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from sealegs.faults.call import Value
from sealegs.world.sql.database import same_rows
from sealegs.world.sql.documentation_overlap import common_run, printed_texts, printed_ways, telling_words, ways_round
from sealegs.world.sql.function_library import Library, Solution, SqlProblem


@dataclass(frozen=True)
class LibraryCheck:
    """The findings of the check; every list should be empty.

    Attributes:
        disagreeing: problems of which a solution gives other rows than the answer.
        printing: problems of which a function's documentation prints a function of a way round it.
        printed: pairs of functions of a database of which the first prints the second's text.
        void: variants whose answer is the same when a scratchpad is given nothing.
        zero: variants whose answer is nothing but zeros.
        run: the words of a function on a way round that stand in a row in the refused function's documentation, as a
            share of its words: the median over all pairs.
        largest: the share of the problems that the database with the most of them gives.
        sharing: functions that share their documentation with another one.
    """

    problems: int
    variants: int
    functions: int
    disagreeing: tuple[str, ...]
    printing: tuple[str, ...]
    printed: tuple[tuple[str, str], ...]
    void: tuple[str, ...]
    zero: tuple[str, ...]
    run: float
    largest: float
    sharing: int

    @property
    def sound(self) -> bool:
        """Whether nothing was found."""
        return not (self.disagreeing or self.printing or self.printed or self.void or self.zero)

    def findings(self) -> Iterator[str]:
        """A line for everything that was found."""
        for words, ids in (
            ("a solution gives other rows than the answer", self.disagreeing),
            ("a function's documentation prints a function of a way round it", self.printing),
            ("what another call found makes no difference to the answer", self.void),
            ("the answer is nothing but zeros", self.zero),
        ):
            yield from (f"problem {id}: {words}" for id in ids)
        yield from (f"function {one}: its documentation prints the text of {other}" for one, other in self.printed)

    def counts(self) -> dict[str, float]:
        """Every figure by its name in the long table; shares in %."""
        return {
            "problems": self.problems,
            "variants": self.variants,
            "functions": self.functions,
            "solutions_disagree": len(self.disagreeing),
            "way_round_printed": len(self.printing),
            "text_printed": len(self.printed),
            "filter_does_nothing": len(self.void),
            "answer_is_zero": len(self.zero),
            "text_shared": self.sharing,
            "longest_run_percent": round(100 * self.run, 1),
            "largest_database_percent": round(100 * self.largest, 1),
        }


def check_library(library: Library) -> LibraryCheck:
    """Check a library; every solution is run."""
    problems = library.problems
    # Void and zero are held against these alone: a question as written may really have such an answer.
    variants = [problem for problem in problems if problem.origin and problem.id != problem.origin]
    words = {name: telling_words(function.description) for name, function in library.functions.items()}
    pairs = {pair for problem in problems for pair in ways_round(problem)}
    shares = [common_run(words[one], words[other]) / len(words[other]) for one, other in pairs]
    texts = Counter((function.database, function.description) for function in library.functions.values())
    databases = Counter(problem.database for problem in problems)
    return LibraryCheck(
        problems=len(problems),
        variants=len(variants),
        functions=len(library.functions),
        disagreeing=tuple(problem.id for problem in problems if not _agrees(library, problem)),
        printing=tuple(problem.id for problem in problems if printed_ways(problem, library.functions)),
        printed=tuple(printed_texts(library.functions.values())),
        void=tuple(problem.id for problem in variants if not _matters(library, problem)),
        zero=tuple(problem.id for problem in variants if all(cell == 0 for row in problem.rows for cell in row)),
        run=median(shares) if shares else 0.0,
        largest=max(databases.values(), default=0) / max(1, len(problems)),
        sharing=sum(count for count in texts.values() if count > 1),
    )


def _agrees(library: Library, problem: SqlProblem) -> bool:
    answers = [library.answers(solution) for solution in problem.solutions]
    return all(isinstance(one, Value) and same_rows(one.value, problem.rows, problem.ordered) for one in answers)


def _matters(library: Library, problem: SqlProblem) -> bool:
    """Return whether every scratchpad of a solution's last call makes a difference."""
    return not any(
        same_rows(rows, problem.rows, ordered=False)
        for solution in problem.solutions[1:]
        for rows in _answers_without(library, solution)
    )


def _answers_without(library: Library, solution: Solution) -> Sequence[Sequence[Sequence[object]]]:
    """The answers of a solution's last call with each of its scratchpads empty in turn, and the others as they are."""
    found: list[list[list[object]]] = []
    last = solution.steps[-1]
    given = library.arguments(solution)
    for name in [name for name, argument in last.arguments.items() if argument.rows is not None]:
        outcome = library.call(last.function, {**given, name: []})
        if isinstance(outcome, Value):
            found.append(outcome.value)
    return found
