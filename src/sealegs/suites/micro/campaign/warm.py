"""Loads what all runs of a campaign need, by playing one; imported once before the runs are forked."""

from sealegs.suites.micro.episode import prepare

prepare()
