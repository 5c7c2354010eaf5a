"""Constants that an experiment and a remote agent's server share: the path of a plan, and the headers that name it."""

PATH = "/.well-known/sealegs/episodes"
HEADER = "Sealegs-Episode"
TOKEN = "Sealegs-Token"
