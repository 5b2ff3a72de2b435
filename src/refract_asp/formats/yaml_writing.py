"""JSON values as YAML that `yaml_text` reads back as the same, and that other readers take the same way."""

from __future__ import annotations

from typing import Any

from refract_asp.errors import LimitError
from refract_asp.formats.origin import Origin
from refract_asp.formats.yaml_text import MAX_TEXT, reads_as_text

__all__ = ["yaml_text"]


def yaml_text(value: Any) -> str:
    """
    Print a JSON value as YAML, a key or an element a line.

    Text that could be taken for something else stands in quotes; what does not print is escaped.

    Raises:
        LimitError: the text would be longer than what is read back.

    Example:
        >>> print(yaml_text({"tools": [{"name": "no", "effect": "read"}]}), end="")
        tools:
        - name: "no"
          effect: read
    """
    text: str = _dumped(value)
    if not text.replace("\n", "").isprintable():
        text = "".join(c if c.isprintable() or c == "\n" else _escaped(c) for c in text)
    if len(text) > MAX_TEXT:
        what = f"as YAML this is longer than {MAX_TEXT:,} characters."
        raise LimitError(what, where=Origin().at(), hint="Write it as JSON.")
    return text


def _escaped(character: str) -> str:
    """Return the escape that a character has between double quotes, where all of them stand."""
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _dumped(value: Any) -> Any:
    import yaml

    class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
        """Quotes text by our own rules; nothing is repeated by aliases."""

        def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
            return True

    def text_node(dumper: Any, text: str) -> Any:
        lines = text.split("\n")
        if not all(line.isprintable() for line in lines) or not reads_as_text(text):
            style = '"'
        elif len(lines) > 1:
            style = "|" if all(line == line.strip() for line in lines) and lines[0] else '"'
        else:
            style = None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, text_node)
    return yaml.dump(
        value, Dumper=Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False, width=100
    )
