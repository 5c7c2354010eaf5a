"""A model that plays a script, behind the HTTP interfaces of real ones: for tests of agents without a model.

`ScriptServer` serves a `Script` to any client of the OpenAI interfaces (chat completions and responses) and of
Anthropic's (messages), streaming or not. It understands nothing: it says what its script says next.
"""

from sealegs.adapters.mock_model.script import Script, ScriptError, read_script, script_from
from sealegs.adapters.mock_model.script_server import ModelRequest, ScriptServer

__all__ = ["ModelRequest", "Script", "ScriptError", "ScriptServer", "read_script", "script_from"]
