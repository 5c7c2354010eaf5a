"""Requests of the base tasks in other words and other languages; see `sealegs.scenarios.wordings`."""
