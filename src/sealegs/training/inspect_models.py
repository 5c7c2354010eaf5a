"""Models that Inspect finds by the entry point: those that were trained here, or lie in any folder."""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi


@modelapi(name="sealegs-local")
def local() -> type[ModelAPI]:
    """`sealegs-local/FOLDER`: a run of `sealegs train`, an adapter, or a whole model."""
    from sealegs.training.local_model import LocalModel

    return LocalModel


__all__ = ["local"]
