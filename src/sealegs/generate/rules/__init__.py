"""Tasks by constrained random search over the corpus, without a model.

`vocabulary` knows which field may feed which parameter, learned from the tasks and groups that people wrote; `search`
strings tools together and runs them as it goes; `phrasing` writes the request; `engine` does so on all cores.
"""
