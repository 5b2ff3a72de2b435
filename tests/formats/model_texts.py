"""Texts as models of many families write them: calls that are known x dialect x wrapping x slip."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from yaml_files import tables

# A call as it is known: the name of the tool, and its arguments.
Known: TypeAlias = tuple[str, dict[str, Any]]

TABLES = tables(__file__)
POOL: list[list[Known]] = [
    [("admit_patient", {"name": "Ana Ruiz", "ward": 4, "urgent": True})],
    [("bank.transfer", {"amount": 12.5, "to": "DE02 1203", "tags": ["rent", "may"]})],
    [("spawn_enemy", {"kind": "orc", "at": [3, -4], "loot": {"gold": 10, "gem": None}})],
    [("restart_pod", {"name": "web-1", "force": False}), ("get_logs", {"pod": "web-1", "lines": 50})],
    [("send_mail", {"text": "It's (almost) done, ok?"}), ("send_mail", {"text": "a, b; c = d [1]"})],
    [("book_table", {"city": "Zürich", "people": 2}), ("list_rooms", {}), ("get_time", {"zone": "+02:00"})],
    [("solve_quadratic_eq", {"a": 1, "b": -3, "c": 2})],
    [("query_db", {"sql": "SELECT * FROM t WHERE a < 3 AND b > 1", "limit": 10})],
    [("play_song", {"title": 'The "Best" of {all}', "loop": True})],
    [("grade_essay", {"text": "One line.\nAnother line.", "scale": 1.5})],
]  # fmt: skip


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def written(calls: list[Known], form: dict[str, str]) -> str:
    """Return calls as a dialect writes them; the words that stand for their parts are told in the table."""
    said = []
    for number, (name, arguments) in enumerate(calls):
        given = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
        pairs = ""
        for key, value in arguments.items():
            text = value if isinstance(value, str) else _json(value)
            pairs += form.get("pair", "").replace("KEY", key).replace("VALUE", text)
        call, as_json = f"{name}({given})", _json(arguments)
        parts = {"NUMBER": str(number), "NAME": name, "JSON": as_json, "TEXT": _json(as_json)}
        parts |= {"CODE": call, "GIVEN": given, "QUOTED": repr(call), "PAIRS": pairs}
        text = form["each"]
        for word, part in parts.items():
            text = text.replace(word, part)
        said.append(text)
    return form.get("before", "") + form.get("joint", "\n").join(said) + form.get("after", "")


def _over_json(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: change(text) if '{"' in text else text


# Slips of the pen; a text that does not have what a slip is about comes back as it is.
SLIPS: dict[str, Callable[[str], str]] = {
    "none": lambda text: text,
    "trailing comma": _over_json(lambda text: text.replace("}}", "},}")),
    "words of Python": _over_json(
        lambda text: text.replace(": true", ": True").replace(": false", ": False").replace(": null", ": None")
    ),
    "escaped underscores": lambda text: text.replace("_quadratic_", r"\_quadratic\_"),
    "keys without quotes": _over_json(lambda text: text.replace('"arguments":', "arguments:")),
}  # fmt: skip


@dataclass(frozen=True)
class Text:
    """A text, and the calls that it holds."""

    dialect: str
    wrapping: str
    slip: str
    text: str
    calls: list[Known]


def texts() -> Iterator[Text]:
    """Yield every text, each once."""
    seen = set[str]()
    for dialect, form in TABLES["dialects"].items():
        for calls in POOL:
            for slip, change in SLIPS.items():
                said = change(written(calls, form))
                for wrapping, around in TABLES["wrappings"].items():
                    if wrapping != "alone" and slip != "none" and wrapping != "prose around":
                        continue
                    if dialect == "bfcl" and "prose" in wrapping:  # among prose it may be any data
                        continue
                    text = around.replace("WRITTEN", said)
                    if text not in seen:
                        seen.add(text)
                        yield Text(dialect, wrapping, slip, text, calls)
