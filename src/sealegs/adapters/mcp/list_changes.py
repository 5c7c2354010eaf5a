"""Changes of the list of the tools: the request of a client to hear of them, and the notification."""

from __future__ import annotations

from sealegs.adapters.mcp.framing import Message, RequestId, encode_message, id_of

LISTEN = "subscriptions/listen"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


def list_changed(subscription: RequestId | None = None) -> bytes:
    """The notification that the list of the tools has changed; in the stateless era, for one subscription."""
    message: Message = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    if subscription is not None:
        message["params"] = {"_meta": {SUBSCRIPTION: subscription}}
    return encode_message(message)


def subscribed(message: Message) -> RequestId | None:
    """The id of a request to hear of changes to the list of the tools; None where it is not such a request."""
    params = message.get("params")
    wanted = params.get("notifications") if isinstance(params, dict) and message.get("method") == LISTEN else None
    return id_of(message) if isinstance(wanted, dict) and wanted.get("toolsListChanged") is True else None
