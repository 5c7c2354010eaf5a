"""The verbs of the command line: a file for each, whose name is the verb's."""
