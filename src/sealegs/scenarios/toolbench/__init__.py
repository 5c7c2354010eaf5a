"""Trajectories in the format of ToolBench: reading them, playing them, and writing episodes as such."""
