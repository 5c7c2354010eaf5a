"""The paths at which the interfaces of models are served, each after whatever a server puts before it."""

from __future__ import annotations

CHAT = "/chat/completions"
RESPONSES = "/responses"
MESSAGES = "/messages"
PATHS = (CHAT, RESPONSES, MESSAGES)
