"""Engines, by which episodes are played, kept and resumed. They know no suite.

An engine carries the calls of an agent to the tools: nothing at all (`direct`), LangChain, MCP, or Inspect, which also
brings models. A run has a folder, in which each episode is written as it ends; the same command plays the rest.
"""
