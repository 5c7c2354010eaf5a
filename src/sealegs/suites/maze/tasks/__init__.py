"""The base tasks, one file a level; see `docs/tasks.md` for the format."""
