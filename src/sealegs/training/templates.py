"""Chat templates that mark what the assistant says.

A template turns messages into text; `{% generation %}` around each of the assistant's turns marks the learned text, and
must hold the end mark too, or the model never learns to stop. Four ship: `qwen`, `llama3`, `gemma`, `plain`. `model`
takes the tokenizer's own; where that has no marks and TRL knows the family, TRL's marked variant of it.

Special tokens are found in a template's text by their looks (`<|im_end|>`, `<end_of_turn>`, `[INST]`): one that the
tokenizer does not know as a single token would be cut into pieces that mean nothing to the model.
"""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError

SHIPPED = ("gemma", "llama3", "plain", "qwen")
COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
SPECIAL = re.compile(r"<\|[^<>|\s]+\|>|<(?:start|end)_of_turn>|<\uff5c[^<>\s]+\uff5c>|\[/?INST\]|</?s>")
MARK = re.compile(r"\{%-?\s*generation\s*-?%\}")


def shipped_template(name: str) -> str:
    """The text of a template that ships."""
    folder = resources.files("sealegs.training") / "chat_templates"
    return (folder / f"{name}.jinja").read_text(encoding="utf-8")


def special_tokens(template: str) -> tuple[str, ...]:
    """The parts of a template that look like special tokens, in its order."""
    return tuple(dict.fromkeys(SPECIAL.findall(COMMENT.sub("", template))))


def training_template(name: str, tokenizer: Any) -> str:
    """The template that a recipe names, fit for training with this tokenizer.

    Args:
        name: `model`, a shipped one's name, or a Jinja file.
        tokenizer: the model's.

    Raises:
        UserError: there is none, it marks nothing, or it needs special tokens that the tokenizer does not have.
    """
    template = _found(name, tokenizer)
    if not MARK.search(template):
        raise UserError(
            f"template {name} does not mark what the assistant says; put {{% generation %}} and {{% endgeneration %}} "
            f"around its turns, end mark included, or take one that ships: {', '.join(SHIPPED)}"
        )
    unknown = [token for token in special_tokens(template) if not _single(token, tokenizer)]
    if unknown:
        raise UserError(
            f"template {name} writes special tokens that the tokenizer does not know: {' '.join(unknown)}; take the "
            f"template of the model's family (model, {', '.join(SHIPPED)}), or plain, which needs none"
        )
    if "eos_token" in COMMENT.sub("", template) and not tokenizer.eos_token:
        raise UserError(f"template {name} ends turns with the tokenizer's eos_token, and it has none; set one")
    return template


def _found(name: str, tokenizer: Any) -> str:
    if name in SHIPPED:
        return shipped_template(name)
    if name == "model":
        return _own(tokenizer)
    path = Path(name)
    if not path.is_file():
        raise UserError(f"there is no template {name}; name a Jinja file, model, or one of {', '.join(SHIPPED)}")
    return path.read_text(encoding="utf-8")


def _own(tokenizer: Any) -> str:
    """The tokenizer's own template, marked."""
    own = tokenizer.chat_template
    if not isinstance(own, str):
        raise UserError(
            f"the tokenizer has no chat template of its own; name one of {', '.join(SHIPPED)} in the recipe"
        )
    if MARK.search(own):
        return own
    from trl.chat_template_utils import get_training_chat_template

    try:
        return str(get_training_chat_template(tokenizer) or own)
    except ValueError:
        return own


def _single(token: str, tokenizer: Any) -> bool:
    return len(tokenizer.encode(token, add_special_tokens=False)) == 1 and token in tokenizer.get_vocab()
