"""Traces with labels: see the README beside this file."""
