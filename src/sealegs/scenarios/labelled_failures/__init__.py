"""Failures with labels: the 58 published ones, each of one of seven classes, and those that no training may hold."""
