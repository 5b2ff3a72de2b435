"""How good repairs are: cases with what is expected, runs over them, and reports."""
