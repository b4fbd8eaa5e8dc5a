"""From a job to something to play: the model, the rules, who plays, the system, and which code may run."""
