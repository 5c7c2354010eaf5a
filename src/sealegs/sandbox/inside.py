"""The code that runs inside the sandbox: it confines itself, then runs code in turns.

It is sent as one text with `inside_confinement`, since a kernel has no package to import from; so both need only the
standard library, and see each other's names without an import. It is trusted until the first turn and never
after: the host checks whatever it says then, and what the host must know it knows by itself.

Two file descriptors carry JSON, one object a line. The order is: hello (the machine), the confinement, ready, then any
number of turns; in a turn, calls and their answers, then the turn's end. The text shown of a turn is all that passed
`sys.stdout` and `sys.stderr`, and the value of the last statement where that is an expression, as in a notebook.
"""

from __future__ import annotations

import _ast
import builtins
import ctypes
import io
import json
import os
import signal
import sys
import types

TYPE_CHECKING = False  # what is imported here is waited for at every start, so it is little
if TYPE_CHECKING:
    import traceback
    from collections.abc import Callable
    from typing import Any

    from sealegs.sandbox.inside_confinement import LimitRefused, confine, landlock_abi

    Json = dict[str, Any]

ONLY_TREE = 0x400  # ast.PyCF_ONLY_AST
DEPTH = 32  # of arguments; the host counts likewise
CUT = "\n... ({} more characters were cut)"


class HostPipes:
    """The two pipes to the host."""

    def __init__(self, requests: int, replies: int, unread: bytes = b"") -> None:
        self._requests = requests
        self._replies = replies
        self._unread = unread

    def receive(self) -> Json:
        """The next message; ends the process if the host is gone."""
        parts = [self._unread]
        while b"\n" not in parts[-1]:
            part = os.read(self._requests, 1 << 16)
            if not part:
                os._exit(0)
            parts.append(part)
        line, _, self._unread = b"".join(parts).partition(b"\n")
        message: Json = json.loads(line)
        return message

    def send(self, message: Json) -> None:
        """Send a message."""
        self.write(encode_line(message))

    def write(self, line: bytes) -> None:
        """Send a message that is encoded already."""
        while line:
            line = line[os.write(self._replies, line) :]


def encode_line(message: Json) -> bytes:
    """A message as a line. Raises `ValueError` or `TypeError` for what is not plain data."""
    return json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def too_deep(value: object, levels: int) -> bool:
    """Return whether containers are nested more than so many levels deep."""
    if not isinstance(value, (dict, list, tuple)):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(too_deep(one, levels - 1) for one in inner)


class ToolError(Exception):
    """A function has failed. The text is its message; the class is named after the failure."""

    __module__ = "__main__"

    def __str__(self) -> str:
        return self.args[0] if self.args and isinstance(self.args[0], str) else ""


class TimeLimit(BaseException):
    """The turn, or the episode, has used its time."""

    __module__ = "__main__"


# --- functions -------------------------------------------------------------------------------------------------------


class Calls:
    """The stubs of the host's functions, and what runs when one is called."""

    def __init__(self, link: HostPipes, message: int) -> None:
        self._link = link
        self._message = message
        self._made = 0
        self._errors: dict[str, type[ToolError]] = {"ToolError": ToolError}

    def new_turn(self) -> None:
        """Calls are numbered from 1 in each turn."""
        self._made = 0

    def stub(self, name: str, names: list[str], required: list[str], doc: str) -> Callable[..., Any]:
        """A function that asks the host."""

        def function(*args: Any, **kwargs: Any) -> Any:
            return self._call(name, _bound(name, names, required, args, kwargs))

        function.__name__ = function.__qualname__ = name
        function.__module__ = "__main__"
        function.__doc__ = doc
        return function

    def _call(self, name: str, arguments: Json) -> Any:
        left, _ = signal.setitimer(signal.ITIMER_REAL, 0.0)  # the host's time is not the turn's
        try:
            if too_deep(arguments, DEPTH):
                raise ValueError(f"{name}(): the arguments are nested too deeply")
            line = encode_line({"call": self._made + 1, "tool": name, "arguments": arguments})
            if len(line) > self._message:
                raise ValueError(f"{name}(): the arguments are too long ({len(line)} bytes, at most {self._message})")
            self._link.write(line)
            self._made += 1
            answer = self._link.receive()
        finally:
            signal.setitimer(signal.ITIMER_REAL, left)
        if "error" in answer:
            raise self._error(answer["error"]["type"])(answer["error"]["message"])
        return answer["value"]

    def _error(self, name: str) -> type[ToolError]:
        if name not in self._errors:
            known = getattr(builtins, name, None)
            bases: tuple[type, ...] = (ToolError,)
            if isinstance(known, type) and issubclass(known, Exception):
                bases = (ToolError, known)  # so that `except TimeoutError` catches a TimeoutError
            try:
                made = type(name, bases, {"__module__": "__main__"})
                made("")
            except TypeError:
                made = type(name, (ToolError,), {"__module__": "__main__"})
            self._errors[name] = made
        return self._errors[name]


def _bound(name: str, names: list[str], required: list[str], args: tuple[Any, ...], kwargs: Json) -> Json:
    """Arguments by name, as Python itself would bind them."""
    if len(args) > len(names):
        raise TypeError(f"{name}() takes {len(names)} positional arguments but {len(args)} were given")
    arguments = dict(zip(names, args))
    for key, value in kwargs.items():
        if key not in names:
            raise TypeError(f"{name}() got an unexpected keyword argument {key!r}")
        if key in arguments:
            raise TypeError(f"{name}() got multiple values for argument {key!r}")
        arguments[key] = value
    missing = [repr(key) for key in required if key not in arguments]
    if missing:
        many = "arguments" if len(missing) > 1 else "argument"
        raise TypeError(f"{name}() missing {len(missing)} required positional {many}: {', '.join(missing)}")
    return arguments


def help_(thing: Any) -> None:
    """What a thing is and how it is used."""
    import pydoc

    print(pydoc.render_doc(thing, title="%s", renderer=pydoc.plaintext))  # type: ignore[attr-defined]


# --- turns -----------------------------------------------------------------------------------------------------------


class CappedOutput(io.TextIOBase):
    """Standard output and error together, up to a number of characters."""

    def __init__(self, size: int) -> None:
        self._left = size
        self._cut = 0
        self._parts: list[str] = []

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def write(self, text: str) -> int:
        """Keep what there is room for, and count the rest."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        kept = text[: self._left]
        if kept:
            self._parts.append(str(kept))
            self._left -= len(kept)
            if len(self._parts) > 1000:
                self._parts = ["".join(self._parts)]
        self._cut += len(text) - len(kept)
        return len(text)

    def text(self) -> str:
        """The text that is shown."""
        shown = "".join(self._parts)
        return shown + CUT.format(self._cut) if self._cut else shown


def storable_text(text: str) -> str:
    """Text that any file can hold: no lone surrogates, no NUL."""
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


class Turns:
    """Runs code in turns over one namespace."""

    def __init__(self, output: int) -> None:
        self._output = output
        self._codes: dict[str, str] = {}
        self._armed = False
        self._over = ""
        self.module = sys.modules["__main__"] = types.ModuleType("__main__")
        self.names = self.module.__dict__
        self.names.update(ToolError=ToolError, help=help_)
        sys.unraisablehook = self._ignored
        signal.signal(signal.SIGALRM, self._stop)
        signal.signal(signal.SIGXCPU, self._stop)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _stop(self, number: int, frame: object) -> None:
        if self._armed:
            which = "the episode's CPU time is used up" if number == signal.SIGXCPU else "the turn took too long"
            self._over = which
            raise TimeLimit(which)

    def run(self, number: int, code: str, seconds: float) -> Json:
        """One turn: what was shown, how it ended, and the error as the code's author should see it."""
        screen = CappedOutput(self._output)
        sys.stdout = sys.stderr = screen
        how, error = "finished", None
        self._over = ""
        try:
            self._armed = True
            signal.setitimer(signal.ITIMER_REAL, seconds)
            try:
                self._execute(f"<turn {number}>", code)
            except BaseException as raised:
                how = _how(raised)
                error = self._shown(raised)
        except BaseException as raised:  # while the first one was being described
            how, error = _how(raised), type(raised).__name__
        finally:
            self._armed = False
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        if self._over and how != "timeout":  # what interrupts it was swallowed, by a finalizer or by the code
            how, error = "timeout", f"{error}\n\nTimeLimit: {self._over}" if error else f"TimeLimit: {self._over}"
        return {
            "done": number,
            "how": how,
            "output": storable_text(screen.text()),
            "error": None if error is None else storable_text(_cut(error, self._output)),
        }

    def _execute(self, file: str, code: str) -> None:
        self._codes[file] = code
        # Not inherited, or this file's own `from __future__` would hold for the code, too.
        tree = compile(code, file, "exec", ONLY_TREE, dont_inherit=True)
        assert isinstance(tree, _ast.Module)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], _ast.Expr) else None
        exec(compile(tree, file, "exec", dont_inherit=True), self.names)
        if isinstance(last, _ast.Expr):
            value = eval(compile(_ast.Expression(last.value), file, "eval", dont_inherit=True), self.names)
            if value is not None:
                print(repr(value))

    def _shown(self, error: BaseException) -> str:
        """The traceback with only the code's own frames."""
        import linecache
        import traceback

        for file, code in self._codes.items():
            linecache.cache[file] = (len(code), None, [line + "\n" for line in code.splitlines()], file)
        whole = traceback.TracebackException.from_exception(error, limit=-50, compact=True)
        self._strip(whole, 0)
        return "".join(whole.format()).rstrip("\n")

    def _ignored(self, what: sys.UnraisableHookArgs) -> None:
        """Show an error that Python cannot raise, as those of finalizers."""
        if isinstance(what.exc_value, TimeLimit) or what.exc_value is None:
            return  # how the turn ends says so
        print(f"{what.err_msg or 'Exception ignored in'}: {what.object!r}\n{self._shown(what.exc_value)}")

    def _strip(self, one: traceback.TracebackException, depth: int) -> None:
        one.stack[:] = [frame for frame in one.stack if frame.filename in self._codes]
        for other in (one.__cause__, one.__context__, *(getattr(one, "exceptions", None) or ())):
            # Code may chain exceptions as deep as it likes, and this must not end in an error of its own.
            if other is not None and depth < 50:
                self._strip(other, depth + 1)


def _how(error: BaseException) -> str:
    if isinstance(error, TimeLimit):
        return "timeout"
    return "memory" if isinstance(error, MemoryError) else "raised"


def _cut(text: str, size: int) -> str:
    """The end of a long error says what it is."""
    return text if len(text) <= size else f"... ({len(text) - size} characters were cut)\n{text[-size:]}"


def kernel_main(requests: int, replies: int, unread: bytes = b"") -> None:
    """The whole life of the process."""
    link = HostPipes(requests, replies, unread)
    libc = ctypes.CDLL(None, use_errno=True)
    link.send({"hello": {"machine": os.uname().machine, "pid": os.getpid(), "landlock": landlock_abi(libc)}})
    how = link.receive()
    try:
        confine(libc, how)
    except (LimitRefused, OSError, ValueError) as error:
        link.send({"refused": str(error)})
        return
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)
    turns, calls = Turns(how["output"]), Calls(link, how["message"])
    link.send({"ready": True})
    while True:
        message = link.receive()
        if "functions" in message:
            turns.names.update({name: calls.stub(name, *rest) for name, *rest in message["functions"]})
        else:
            calls.new_turn()
            link.send(turns.run(message["run"], message["code"], message["seconds"]))
