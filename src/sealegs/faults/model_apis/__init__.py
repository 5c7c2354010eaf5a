"""The HTTP interfaces of models: how each writes an answer, a stream of it, and an error.

Pure data and pure functions. Faults on a model's calls are made with these, so that a client reads what it reads from
the real thing. There are three such interfaces, those of `MODEL_APIS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sealegs.faults.model_apis.api_paths import PATHS
from sealegs.lazy_names import lazy_names

if TYPE_CHECKING:
    from sealegs.faults.model_apis.known_apis import MODEL_APIS
    from sealegs.faults.model_apis.model_api import ModelApi, Reply, ReplyCall

# A proxy looks at every request for a model's path, and most have none: they load no interface.
_HOMES = {
    "MODEL_APIS": "sealegs.faults.model_apis.known_apis",
    "ModelApi": "sealegs.faults.model_apis.model_api",
    "Reply": "sealegs.faults.model_apis.model_api",
    "ReplyCall": "sealegs.faults.model_apis.model_api",
}


def model_api_at(method: str, path: str) -> ModelApi | None:
    """The interface that is served at a path; None where none of them is."""
    if method != "POST" or not path.endswith(PATHS):
        return None
    from sealegs.faults.model_apis.known_apis import MODEL_APIS

    return next((api for api in MODEL_APIS.values() if path.endswith(api.path)), None)


def asks_model(body: Any) -> bool:
    """Return whether the body of a request to such a path asks a model, and not something else under the same path."""
    return isinstance(body, Mapping) and isinstance(body.get("model"), str)


__all__ = ["MODEL_APIS", "ModelApi", "Reply", "ReplyCall", "asks_model", "model_api_at"]
__getattr__ = lazy_names(__name__, _HOMES)
