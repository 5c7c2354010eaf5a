"""Failures found, diagnosed and repaired at run time: signatures, an exemplar bank, detectors, policies, the layer."""
