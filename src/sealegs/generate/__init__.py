"""New tasks for `maze`, made by rules or by a language model, and put through the same checks.

Every candidate is a `Draft` that passes the `checks` or falls at one of them, by name; what came of each is in the
`journal`, so that a stopped run can be resumed. `rules` searches the corpus at random; `staged` asks models, stage by
stage.
"""
