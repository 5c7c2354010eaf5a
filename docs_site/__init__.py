"""The documentation's site: pages from the code, and what MkDocs does beyond its settings."""
