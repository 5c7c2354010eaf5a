"""Training: an agent's model learns to recover, from trajectories that show how.

The loss is that of supervised fine-tuning plus lambda times the loss of the corrective segments alone. The room builds
on TRL, PEFT, Accelerate and Transformers (the extra `train`); it is the only one that loads torch, and only when a run
begins. Pre-training, preference losses, and serving what was trained are not in it.
"""
