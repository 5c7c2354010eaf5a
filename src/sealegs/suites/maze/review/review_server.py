"""The page on which a person reviews: what the browser asks for, and what it gets.

It listens on the loopback interface alone, answers only requests whose Host and Origin are its own, and lets the page
load nothing from elsewhere. What it sends of a question is what the reviewer is to see, and nothing more: the truth is
not in the page, not in its script and in no answer. It keeps no other user of this machine out.

    GET  /, /page.css, /review.css, /review.js
    GET  /state          the reviewer, how many questions are done, and the question that is open
    POST /call           a call of one of the open task's tools
    POST /reply          the reply to the open question; answers the next state
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from aiohttp import web

from sealegs.adapters.relaying.http_guard import RequestGuard
from sealegs.adapters.relaying.http_serving import serving
from sealegs.adapters.request_rules import LOOPBACK
from sealegs.suites.maze.review.review_folder import ReviewerFile
from sealegs.suites.maze.review.review_questions import DetectQuestion, ReviewQuestion, SolveQuestion
from sealegs.suites.maze.review.review_session import ReviewSession, form_answer, stop_answer
from sealegs.suites.maze.review.review_wording import DETECT_INSTRUCTIONS, SOLVE_INSTRUCTIONS

HERE = "127.0.0.1"
PAGE = "sealegs.suites.maze.review", "page"
FILES = {  # what is served as it is: path -> package, folder, file, type
    "/": (*PAGE, "review.html", "text/html"),
    "/page.css": ("sealegs.reports", "templates", "page.css", "text/css"),
    "/review.css": (*PAGE, "review.css", "text/css"),
    "/review.js": (*PAGE, "review.js", "text/javascript"),
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
MOST_CALLS = 200  # of one task
LONGEST = 2000  # signs of a text that a reviewer writes
INSTRUCTIONS = {SolveQuestion: SOLVE_INSTRUCTIONS, DetectQuestion: DETECT_INSTRUCTIONS}


class RefusedReply(ValueError):
    """A reply from the browser that cannot be taken; the message says why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class ReviewHandler:
    """Asks one reviewer the questions of a review, and notes each reply at once.

    Args:
        file: the reviewer's.
    """

    def __init__(self, file: ReviewerFile) -> None:
        self._file = file
        self._guard = RequestGuard(min(LOOPBACK), server="this page", opens=False)
        self._session: tuple[str, ReviewSession] | None = None

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        answer = self._guard.refusal(request) or await self._answered(request)
        answer.headers.update(HEADERS)
        return answer

    async def _answered(self, request: web.BaseRequest) -> web.Response:
        route = (request.method, request.path)
        if route == ("GET", "/state"):
            return web.json_response(self.state())
        if request.method == "GET" and request.path in FILES:
            package, folder, name, kind = FILES[request.path]
            return web.Response(text=files(package).joinpath(folder, name).read_text("utf-8"), content_type=kind)
        takes = {("POST", "/call"): self._call, ("POST", "/reply"): self._reply}.get(route)
        if takes is None:
            return web.Response(status=404, text="there is nothing here; the page is at /\n")
        try:
            return web.json_response(takes(await self._sent(request)))
        except RefusedReply as refused:
            return web.json_response({"refused": str(refused)}, status=refused.status)

    async def _sent(self, request: web.BaseRequest) -> Mapping[str, Any]:
        if request.content_type != "application/json":  # which no page of another origin may send unasked
            raise RefusedReply(415, "send JSON")
        try:
            found = json.loads(await self._guard.body(request))
        except web.HTTPException as refused:
            raise RefusedReply(refused.status, refused.text or "") from refused
        except (ValueError, RecursionError) as error:
            raise RefusedReply(400, f"this is not JSON: {error}") from error
        if not isinstance(found, dict):
            raise RefusedReply(400, "send a JSON object")
        return found

    def state(self) -> dict[str, Any]:
        """The state that the page shows now."""
        left = self._file.left
        total = len(self._file.questions)
        return {
            "reviewer": self._file.reviewer,
            "done": total - len(left),
            "total": total,
            "question": self._shown(left[0]) if left else None,
        }

    def _shown(self, question: ReviewQuestion) -> dict[str, Any]:
        shown = {**question.shown, "told": INSTRUCTIONS[type(question)]}
        if isinstance(question, SolveQuestion):
            shown["calls"] = list(self._session_at(question).calls)
        return shown

    def _session_at(self, question: SolveQuestion) -> ReviewSession:
        """The session at this task, with the calls that were made before the process was ended."""
        if self._session is None or self._session[0] != question.id:
            before = self._file.calls.get(question.id, ())
            self._session = question.id, ReviewSession(question.scenario, self._file.reviewer, before)
        return self._session[1]

    def _open(self, sent: Mapping[str, Any]) -> ReviewQuestion:
        left = self._file.left
        if not left or sent.get("question") != left[0].id:
            raise RefusedReply(409, "this question has been answered already; load the page again")
        return left[0]

    def _call(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        question = self._open(sent)
        tool, arguments = sent.get("tool"), sent.get("arguments")
        if not isinstance(question, SolveQuestion) or not isinstance(tool, str) or not isinstance(arguments, dict):
            raise RefusedReply(400, "a call names a tool of the open task, and has an object of arguments")
        if tool not in {spec.name for spec in question.scenario.specs}:
            raise RefusedReply(400, f"the task has no tool {tool!r}")
        session = self._session_at(question)
        # Two windows may show the same task: a call on a state that a person does not see is refused.
        if sent.get("place") != len(session.calls):
            raise RefusedReply(409, "a call was made in another window; load the page again")
        if len(session.calls) >= MOST_CALLS:
            raise RefusedReply(409, f"a task has at most {MOST_CALLS} calls; give the result, or say that it cannot")
        made = session.call(tool, arguments)
        self._file.note_call(question, made)
        return made

    def _reply(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        question = self._open(sent)
        if isinstance(question, SolveQuestion):
            reply = self._solved(question, sent)
        else:
            if not isinstance(sent.get("corrupt"), bool):
                raise RefusedReply(400, "say whether the answer is right or corrupt")
            reply = {"corrupt": sent["corrupt"], "why": _text(sent, "why")}
        self._file.note_reply(question, reply)
        return self.state()

    def _solved(self, question: SolveQuestion, sent: Mapping[str, Any]) -> dict[str, Any]:
        calls = list(self._session_at(question).calls)
        if sent.get("cannot") is True:
            return {"answer": stop_answer(_text(sent, "why")), "calls": calls}
        given = sent.get("deliverables")
        if not isinstance(given, dict):
            raise RefusedReply(400, "give the results, or say that it cannot be done")
        texts = {label: _text(given, label) for label in question.labels}
        lacking = [label for label, text in texts.items() if not text]
        if lacking:
            raise RefusedReply(400, f"still to be given: {', '.join(lacking)}; or say that it cannot be done")
        return {"answer": form_answer(question.labels, texts), "calls": calls}


def _text(given: Mapping[str, Any], name: str) -> str:
    text = given.get(name, "")
    if not isinstance(text, str) or len(text) > LONGEST:
        raise RefusedReply(400, f"{name} is a text of at most {LONGEST} signs")
    return text.strip()


def serve_review(file: ReviewerFile, port: int, tell: Callable[[str], None]) -> None:
    """Serve the page until the process is interrupted.

    Args:
        file: the reviewer's.
        port: to listen on; 0 for any that is free.
        tell: is given the page's address.

    Raises:
        UserError: the port cannot be listened on.
    """

    async def serve() -> None:
        async with serving(ReviewHandler(file).handle, HERE, port) as at:
            tell(str(at))
            await asyncio.Event().wait()

    asyncio.run(serve())
