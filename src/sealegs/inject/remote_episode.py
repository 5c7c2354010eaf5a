"""What an experiment and an agent's server elsewhere agree on: where a plan is put, and how a request names it."""

PATH = "/.well-known/sealegs/episodes"
HEADER = "Sealegs-Episode"
TOKEN = "Sealegs-Token"
