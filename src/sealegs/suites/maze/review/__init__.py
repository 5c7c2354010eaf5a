"""Review of the tasks by people and by models: whether they can be solved, and whether corrupt answers show.

A reviewer solves tasks under NP by calling their tools, and says of single answers of tools whether they are corrupt.
The questions follow from a few settings, so that a folder of replies holds no truth: it is worked out again when the
replies are graded. It does not measure how long a reviewer takes, and cannot know whether a person looked into the
source.
"""
