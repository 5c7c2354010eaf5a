"""Imports the real evals before warnings are errors: what they and their packages warn of is not ours."""

import warnings
from contextlib import suppress
from importlib import import_module

with suppress(ImportError), warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import_module("inspect_evals.tau2.tau2")
    import_module("inspect_evals.agentdojo.dataset")
