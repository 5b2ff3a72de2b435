"""The plan language: a subset of JavaScript that says which tools are called with what, and nothing else."""
