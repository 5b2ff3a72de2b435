"""Runs calls of tools: each gets its answer, whatever the tool does."""
