"""Failures in the forms in which people meet them."""

from sealegs.recovery.forms.reading import FailureReading, read_data, read_failure, read_text

__all__ = ["FailureReading", "read_data", "read_failure", "read_text"]
