"""Synthetic libraries and problems, mutations of sequences, and the evaluation of repairs."""
