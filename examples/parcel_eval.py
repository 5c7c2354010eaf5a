"""An eval of Inspect in one file, with a scripted model in place of a real one, to see what faults do to it.

sealegs run inspect --task parcel_eval.py@parcels --model parcel/hasty
sealegs run inspect --task parcel_eval.py@parcels --model parcel/patient
sealegs run inspect --task parcel_eval.py@parcels --model parcel/hasty --recovery active --knowledge parcel_tools.yaml

Recovery makes a call again only where it is declared that the call changes nothing: `parcel_tools.yaml` says so.
"""

from __future__ import annotations

import json

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import Tool, ToolChoice, ToolInfo, tool

PARCELS = {"P-1": ("Oslo", 3), "P-2": ("Lima", 9), "P-3": ("Kyoto", 12), "P-4": ("Oslo", 7)}
FEES = {"Oslo": 4, "Lima": 6, "Kyoto": 5}


@tool
def parcel() -> Tool:
    """A tool that looks a parcel up."""

    async def execute(id: str) -> str:
        """Look a parcel up.

        Args:
            id: its id.
        """
        city, weight = PARCELS[id]
        return json.dumps({"id": id, "city": city, "weight": weight})

    return execute


@tool
def fee() -> Tool:
    """A tool that tells the fee for a kilogram."""

    async def execute(city: str) -> str:
        """Tell the fee for a kilogram.

        Args:
            city: where to.
        """
        return json.dumps({"city": city, "fee": FEES[city]})

    return execute


@task
def parcels() -> Task:
    """Questions for the cost of sending each parcel."""
    samples = [
        Sample(input=f"What does it cost to send {id}?", target=f"{weight * FEES[city]} kr", id=id)
        for id, (city, weight) in PARCELS.items()
    ]
    return Task(dataset=MemoryDataset(samples), solver=[use_tools(parcel(), fee()), generate()], scorer=includes())


@modelapi(name="parcel")
class ParcelModel(ModelAPI):
    """`parcel/hasty` gives up at the first failure, `parcel/patient` asks a tool again, up to three times."""

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """The next call, or the answer."""
        answers = [message for message in input if message.role == "tool"]
        failures = sum(message.error is not None for message in answers)
        known = [json.loads(message.text) for message in answers if message.error is None]
        if failures > (3 if self.model_name == "patient" else 0):
            output = ModelOutput.from_content(self.model_name, "I could not do it: a tool failed.")
        elif not known:
            id = input[-1 - len(answers) * 2].text.split()[-1].strip("?")
            output = ModelOutput.for_tool_call(self.model_name, "parcel", {"id": id})
        elif len(known) == 1:
            output = ModelOutput.for_tool_call(self.model_name, "fee", {"city": known[0]["city"]})
        else:
            output = ModelOutput.from_content(self.model_name, f"It costs {known[0]['weight'] * known[1]['fee']} kr.")
        output.usage = ModelUsage()
        return output
