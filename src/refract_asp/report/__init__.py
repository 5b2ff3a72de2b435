"""What `check` and `repair` found, for people: diffs and messages."""
