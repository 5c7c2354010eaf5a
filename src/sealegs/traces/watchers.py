"""Several watchers of one session: a recorder and spans, say."""

from __future__ import annotations

from collections.abc import Mapping

from sealegs.faults.call import Layer
from sealegs.faults.spec import ToolSpec
from sealegs.inject.injection import Injection
from sealegs.inject.layer_context import LayerAction, Watcher


class Watchers:
    """Watchers as one.

    Args:
        watchers: the outermost first.
    """

    def __init__(self, *watchers: Watcher) -> None:
        self._watchers = watchers

    def around(self, layer: Layer) -> Layer:
        """The layer with every watcher outside it."""
        for watcher in reversed(self._watchers):
            layer = watcher.around(layer)
        return layer

    def injected(self, injection: Injection) -> None:
        """Tell every watcher of a fault that fired."""
        for watcher in self._watchers:
            watcher.injected(injection)

    def knows(self, specs: Mapping[str, ToolSpec]) -> None:
        """Tell every watcher what is known of the tools, now and later."""
        for watcher in self._watchers:
            knows = getattr(watcher, "knows", None)
            if knows is not None:
                knows(specs)

    def layer_action(self, action: LayerAction) -> None:
        """Tell every watcher what a layer did on a call besides passing it on."""
        for watcher in self._watchers:
            layer_action = getattr(watcher, "layer_action", None)
            if layer_action is not None:
                layer_action(action)
