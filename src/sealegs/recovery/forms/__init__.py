"""Failures in the forms in which people meet them."""

from sealegs.recovery.forms.failure_reading import FailureReading, read_failure, read_json_failure, read_text_failure

__all__ = ["FailureReading", "read_failure", "read_json_failure", "read_text_failure"]
