"""What a newcomer copies from the README: three blocks, each of which runs in an empty folder."""

import re
from pathlib import Path

README = (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8")
FOUND = re.findall(r"^\*\*(\w+)\*\*: .*?^```(\w+)\n(.*?)^```$", README, re.M | re.S)
BLOCKS: dict[str, tuple[str, str]] = {name: (kind, text) for name, kind, text in FOUND}
"""Language and text of each block by the bold word before it."""
PRINTED = {
    "OpenAI": ['{"city": "Rome", "days": 3}', "'get_weather'", "'call_1'"],
    "MCP": [
        "Common fix: Change create_isue to create_issue",
        'create_issue(title="Too slow", labels=["bug"])',
    ],
    "Traces": ["2 sequences: 1 valid, 1 repaired.", "fix: Change get_wether to get_weather"],
}
"""What has to be among what each block prints."""


def commands(text: str) -> list[str]:
    """Return the commands of a shell block; a text between single quotes may go over several lines."""
    return re.findall(r"(?:'[^']*'|[^'\n])+", text)
