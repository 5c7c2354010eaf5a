"""`hunt`: the smallest fault plans that make an agent fail.

A target (an agent and its success check) is run under plan after plan. Hypothesis searches the plans over the tools
that the agent really calls and shrinks each failing one to the smallest; what is known is then left aside, and the
search continues for failures that do not contain it. Time that the agent itself spends is real (its own sleeps and
timeouts run on the real clock, faults wait on a virtual one). Agents that answer equal calls differently may not repeat
a failure: a finding says how often it came again.
"""
