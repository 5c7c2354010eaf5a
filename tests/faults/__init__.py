"""Tests of the faults room."""
