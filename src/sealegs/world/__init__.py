"""The simulated world: tools by domain over shared facts, alternative groups, and one episode's state and ledger.

A domain is a folder: the tools of all its modules, and the groups of its `groups.txt`. `corpus.load` gathers them,
`check` is the kit they must all pass, `reference` runs a task right.
"""
