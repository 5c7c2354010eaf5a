"""`sealegs maze review`, from what the user typed to the page or the model."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from sealegs.faults.user_error import UserError
from sealegs.suites.maze.review.review_folder import (
    ReviewChoice,
    ReviewerFile,
    check_reviewer,
    open_review,
    reviewer_lock,
)

if TYPE_CHECKING:
    from inspect_ai.model import Model

    from sealegs.suites.maze.review.review_model import ModelReview


def run_page(folder: Path, choice: ReviewChoice, reviewer: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve the page to a reviewer until Ctrl-C.

    Args:
        folder: of the review.
        choice: what its questions are drawn from.
        reviewer: a person's name.
        port: of the page.
        tell: is given the page's address.

    Raises:
        UserError: the name, the folder or the port will not do, or aiohttp is missing.
    """
    check_reviewer(reviewer)
    if find_spec("aiohttp") is None:
        raise UserError('the page needs aiohttp: pip install "sealegs[proxy]"')
    from sealegs.suites.maze.review.review_server import serve_review

    settings = open_review(folder, choice)
    with reviewer_lock(folder, "person", reviewer), suppress(KeyboardInterrupt):
        serve_review(ReviewerFile(folder, settings, reviewer, "person"), port, tell)


def run_model_review(
    folder: Path, choice: ReviewChoice, reviewer: str, model: str, *, given: Model | None = None
) -> ModelReview:
    """Ask a model what it has not replied to.

    Args:
        folder, choice: as of a page.
        reviewer: must be empty: a model has its own name.
        model: as Inspect names it.
        given: the model itself, in place of the one of that name.

    Raises:
        UserError: not exactly one reviewer is named, the folder will not do, or the model cannot be called.
    """
    if bool(reviewer) == bool(model):
        problem = "both are given" if model else "neither is given"
        raise UserError(f"name either a person or a model ({problem}): --reviewer ana, or --model openai/gpt-5")
    check_reviewer(model)
    if find_spec("inspect_ai") is None:
        raise UserError('models run through Inspect, which is not installed: pip install "sealegs[bench]"')
    from sealegs.suites.maze.review.review_model import review_with_model

    settings = open_review(folder, choice)
    with reviewer_lock(folder, "model", model):
        return review_with_model(ReviewerFile(folder, settings, model, "model"), folder, given or model, None)
