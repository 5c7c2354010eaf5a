"""Imported once before the runs of a campaign, which are forked: loads what they all need by playing one."""

from sealegs.suites.micro.episode import prepare

prepare()
