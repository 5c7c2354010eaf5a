"""Finding a text by what it says. Knows nothing of tools, failures or tasks."""
