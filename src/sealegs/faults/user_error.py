"""The one family of errors that the user has to mend."""


class UserError(ValueError):
    """Something that a user gave cannot be used. The message names what was wrong, the value, and what would do."""
