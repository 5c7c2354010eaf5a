"""Trajectories to learn from: made from tasks, struck by labelled failures, continued by an expert, judged, split."""

CLEAN = "clean"
FAILING = "failing"
SPLITS = ("train", "validation", "test", "generalisation")
UNSEEN = "generalisation"
HELD = ("test", UNSEEN)
"""The splits whose language is kept from the others."""
