"""Arms: ways to run one and the same model on a task, which differ in what they tell it when a tool fails.

After PALADIN (AAAI 2026 workshop): `vanilla`, `toolbench`, `toolreflect`, `critic`, `paladin`. The prompts are in our
own words. Retrieval is not part of an arm: it sits on the seam (`recovery.policies.Advise`), so that every arm can be
run with it and without.
"""

from collections.abc import Mapping

from sealegs.agents.arms.arm_base import Arm, ArmContext, AwaitModel, Menu, Message, ModelReply, ModelToolUse
from sealegs.agents.arms.critic import Critic
from sealegs.agents.arms.paladin_arm import Paladin
from sealegs.agents.arms.toolbench_arm import ToolBench
from sealegs.agents.arms.toolreflect import ToolReflect
from sealegs.agents.arms.vanilla import Vanilla

ARMS: Mapping[str, Arm] = {
    "vanilla": Vanilla(),
    "toolbench": ToolBench(),
    "toolreflect": ToolReflect(),
    "critic": Critic(),
    "critic-p0.7": Critic(right=0.7),
    "paladin": Paladin(),
}

__all__ = ["ARMS", "Arm", "ArmContext", "AwaitModel", "Menu", "Message", "ModelReply", "ModelToolUse"]
