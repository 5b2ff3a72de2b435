"""JSON Schemas and values: whether one fits the other, and into which forms a value may be brought."""
