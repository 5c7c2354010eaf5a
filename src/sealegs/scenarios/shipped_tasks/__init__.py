"""The base tasks, a folder for each level and ten tasks a file; see `docs/tasks.md` for the format."""
