"""Mutants of the sandbox: each escape with the guards whose removal lets it succeed, on a machine of its own."""
