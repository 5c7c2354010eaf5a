"""The documents and articles that the tools find, as YAML."""
