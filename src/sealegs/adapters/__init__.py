"""One file a framework: its tool call to `Call`, the `Outcome` back. Nothing else happens here."""
