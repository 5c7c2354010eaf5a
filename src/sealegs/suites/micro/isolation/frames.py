"""JSON over a stream: four bytes of length, then the text. Nothing that is read here is ever executed (no pickle)."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

LENGTH = struct.Struct(">I")
LARGEST = 64 * 2**20  # bytes; what a run may answer with
_ENCODER = json.JSONEncoder(allow_nan=False)  # taken now, so that a run that replaces json's names changes nothing


def packed(message: Any) -> bytes:
    """The message as a frame.

    Raises:
        TypeError: it is not JSON data.
        ValueError: it holds a number that JSON has not, itself, or too much.
    """
    text = _ENCODER.encode(message).encode()
    if len(text) > LARGEST:
        raise ValueError(f"{len(text)} bytes as JSON; the most is {LARGEST}")
    return LENGTH.pack(len(text)) + text


def send(stream: socket.socket, message: Any) -> None:
    """Send one frame."""
    stream.sendall(packed(message))


def receive(stream: socket.socket) -> Any:
    """The next frame's message; None where the stream ended before it was whole.

    Raises:
        ValueError: what came is not a frame.
    """
    head = _exactly(stream, LENGTH.size)
    if head is None:
        return None
    (length,) = LENGTH.unpack(head)
    if length > LARGEST:
        raise ValueError("no frame: its length is out of bounds")
    text = _exactly(stream, length)
    return None if text is None else json.loads(text)


def _exactly(stream: socket.socket, size: int) -> bytes | None:
    found = bytearray()
    while len(found) < size:
        try:
            piece = stream.recv(min(size - len(found), 2**20))
        except ConnectionError:
            return None
        if not piece:
            return None
        found += piece
    return bytes(found)
