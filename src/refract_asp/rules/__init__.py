"""States facts, runs clingo on the encodings, and decodes its answer; the only package that knows clingo."""
