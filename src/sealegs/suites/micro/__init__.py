"""`micro`: a LangChain agent on small workloads while its tools fail.

The workloads, tools and faults of ChaosLLM rebuilt on the kernel, and harder ones, an MCP level and two agents beside.
"""
