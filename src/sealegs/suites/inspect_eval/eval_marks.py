"""The names of the facts that records of an eval's episodes hold, for those that write and those that read them."""

LASTING = "lasting"  # the rules of permanent faults
OFFERED = "offered"  # the tools that the agent was offered
TO_USER = "offered_to_user"  # the tools that a model in the role of the user was offered
SCHEMAS = "schemas"  # of these tools, if requested: by name, description and parameters
