"""The one family of errors that the user has to mend, and texts as the one line that their messages are."""


class UserError(ValueError):
    """Something that a user gave cannot be used. The message names what was wrong, the value, and what would do."""


def one_line(text: str, most: int = 200) -> str:
    """A text as one line of at most so many characters."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 3]}..."
