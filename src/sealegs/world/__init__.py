"""The simulated world: tools by domain over shared facts, alternative groups, and one episode's state and ledger.

A domain is a package whose attributes are its tools and groups; `corpus.load` gathers them, `check` is the kit they
must all pass, `reference` runs a task right.
"""
