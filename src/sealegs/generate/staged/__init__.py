"""Tasks by models, stage by stage, each stage recorded on disk.

sample -> architect -> types -> meaning -> space -> specification -> request -> reverse -> corruption, then duplicates.
A stage takes what the stages before it found on one item and adds its own result, or lets the item fall with a reason.
What a model answers is checked by code; a bad answer is counted under its reason and requested again, with the reason,
a fixed number of times.
"""
