"""Synthetic libraries, problems and mutations, and the evaluation of repairs on them."""
