"""What docs/campaign.md shows is what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sealegs.scoring.micro_metrics import OUTCOMES
from sealegs.suites.micro.campaign import campaign_grammar
from sealegs.suites.micro.campaign.campaign_check import CheckedCampaign, read_campaign
from sealegs.suites.micro.campaign.campaign_parser import SETTINGS, CampaignError

DOC = (Path(__file__).parents[4] / "docs" / "campaign.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```text\n(.*?)^```", DOC, re.MULTILINE | re.DOTALL)
WRONG = """default modle=scripted/naive
tpi unreachable schedule=transent:2
tip slow(second=5),hnag model=scripted/naive
tip hang model=scripted/naive repeat=0
"""


def test_the_file_that_is_shown_is_sound_and_comes_to_the_figures_beside_it() -> None:
    found = CheckedCampaign("mine", read_campaign(BLOCKS[0], "", "mine"), jobs=2, budget=5)
    for line in found.lines():
        assert line in DOC


def test_the_mistakes_that_are_shown_are_those_that_are_reported() -> None:
    with pytest.raises(CampaignError) as caught:
        read_campaign(WRONG, "", "wrong.campaign")
    assert f"sealegs: {caught.value}\n" in DOC


def test_the_grammar_is_that_of_the_code() -> None:
    assert campaign_grammar.__doc__ is not None
    assert re.sub(r"^", "    ", BLOCKS[1].rstrip(), flags=re.MULTILINE) in campaign_grammar.__doc__


def test_every_setting_and_outcome_is_documented() -> None:
    assert all(f"| `{name}` |" in DOC for name in SETTINGS)
    assert all(f"| {name} |" in DOC for name in OUTCOMES)
