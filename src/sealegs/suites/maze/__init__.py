"""`maze`: tasks of four levels on simulated tools, each run clean and under four kinds of fault."""
