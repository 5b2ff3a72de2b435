"""How a format is found, how files are opened, and that no message carries what does not print."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from declaring import called, message
from refract_asp.errors import FormatError, InputError, LimitError, UnknownFormatError
from refract_asp.formats import SEQUENCE_FORMATS, load_catalog, load_memory, load_sequence
from refract_asp.model import Call, Catalog, Memory, Sequence, Tool

from .made import HOSTILE

LOADERS: list[Callable[[Any], Any]] = [load_sequence, load_catalog, load_memory]


@pytest.mark.parametrize("format", [known.name for known in SEQUENCE_FORMATS])
@pytest.mark.parametrize("lines", [["T()"], ['x = T(a="b", c=[1, {"d": null}])', 'U(e="$x.f$")']])
def test_what_each_format_prints_is_detected_as_its_own(lines: list[str], format: str) -> None:
    data = load_sequence(lines).dump(format)
    again = load_sequence(data)
    assert again.format == ("pretty" if (format, lines) == ("python", ["T()"]) else format)
    kept = {"id": None, "label": None} if format == "plan" else {"id": None}  # it labels every call
    wanted = [call.model_copy(update=kept) for call in load_sequence(lines).calls]
    assert [call.model_copy(update=kept) for call in again.calls] == wanted


UNKNOWN: list[tuple[Callable[[], Any], str]] = [
    (lambda: load_sequence("T()", "prety"), r"no sequence format named 'prety'\. Did you mean 'pretty'\?"),
    (lambda: Sequence().dump("morse"), r"no sequence format named 'morse'\. Known: .*nestful"),
    (lambda: load_catalog("tools: []", "x"), r"no catalog format named 'x'\. Known: anthropic, functions, gemini"),
    (lambda: Catalog().dump("x"), "no catalog format named"),
]  # fmt: skip


@pytest.mark.parametrize(("act", "said"), UNKNOWN)
def test_unknown_names_list_the_known_ones(act: Callable[[], Any], said: str) -> None:
    with pytest.raises(UnknownFormatError, match=said):
        act()


def test_tools_in_place_of_calls_are_named_as_such() -> None:
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    said = "It reads as a {} of the format openai: give it as"
    with pytest.raises(UnknownFormatError, match=said.format("catalog")):
        load_sequence(tools)
    with pytest.raises(UnknownFormatError, match=said.format("sequence")):
        load_catalog(message(called("f", "{}")))


def test_what_is_built_passes_through() -> None:
    sequence, catalog = Sequence(calls=(Call(name="T"),)), Catalog(tools=(Tool(name="T"),))
    memory = Memory(values={"a": 1})
    assert load_sequence(sequence) is sequence
    assert load_catalog(catalog) is catalog
    assert load_memory(memory) is memory


def test_a_sequence_made_by_hand_is_dumped_as_nestful() -> None:
    wanted = [{"name": "T", "arguments": {}, "label": None}]
    assert Sequence(calls=(Call(name="T"),)).dump() == wanted


@pytest.mark.parametrize("loader", LOADERS)
def test_files_that_cannot_be_read(
    loader: Callable[[Any], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(FormatError, match=r"absent\.json: there is no such file"):
        loader(tmp_path / "absent.json")
    with pytest.raises(FormatError, match="this is a directory"):
        loader(tmp_path)
    with pytest.raises(FormatError, match="cannot be read"):
        loader(tmp_path / "nul\x00.json")
    bad = tmp_path / "latin\x1b.json"
    bad.write_bytes(b'{"a":\n "caf\xe9"}')
    with pytest.raises(FormatError, match=r"this is not UTF-8 text \(line 2") as raised:
        loader(bad)
    assert str(raised.value).isprintable()
    monkeypatch.setattr("refract_asp.formats.source.MAX_FILE_BYTES", 10)
    big = tmp_path / "big.json"
    big.write_text(" " * 11)
    with pytest.raises(LimitError, match=r"big\.json: the file is larger"):
        loader(big)


def test_a_byte_order_mark_is_no_content(tmp_path: Path) -> None:
    path = tmp_path / "bom.json"
    path.write_text('\ufeff[{"name": "T"}]', encoding="utf-8")
    assert load_sequence(path).calls == (Call(name="T"),)
    assert load_memory("\ufeffa: 1").values == {"a": 1}


def test_endless_files_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/dev/zero").exists():
        pytest.skip("there is no /dev/zero")
    monkeypatch.setattr("refract_asp.formats.source.MAX_FILE_BYTES", 1000)
    with pytest.raises(LimitError, match="larger"):
        load_sequence(Path("/dev/zero"))


@pytest.mark.parametrize("name", [*HOSTILE, "\x07" * 500, "x" * 100_000])
def test_messages_are_one_printable_line(name: str) -> None:
    attempts: list[Callable[[], Any]] = [
        lambda: load_sequence(f"({name}\x1b"),
        lambda: load_sequence(f"{json.dumps(name)}({json.dumps(name)})"),
        lambda: load_sequence(f"T({json.dumps(name)}=1, {json.dumps(name)}=1)"),
        lambda: load_sequence({"output": name, "var_result": {name: [float("nan")]}}),
        lambda: load_sequence(json.dumps({"name": "T", "arguments": {name: 1}})[:-2]),
        lambda: load_memory("{%s: 1, %s: 2}" % ((json.dumps(name),) * 2)),
        lambda: load_sequence([f"confirm({json.dumps(name)})", "Other()"]),
        lambda: load_sequence({name: 1}),
        lambda: load_sequence("T()", name),
        lambda: load_catalog({"tools": [{"name": "T", name: 1}]}),
        lambda: load_catalog({"tools": [{"name": "T", "effect": name}]}),
        lambda: load_catalog({"tools": [{"name": name or "T"}] * 2}),
        lambda: load_catalog(f"{json.dumps(name)}: 1\n{json.dumps(name)}: 2"),
        lambda: load_catalog(name, name),
        lambda: load_memory({name: object()}),
        lambda: load_memory(Path("/nowhere") / name.replace("\x00", "")),
    ]
    for attempt in attempts:
        with pytest.raises(InputError) as raised:
            attempt()
        assert str(raised.value).isprintable()
        assert len(str(raised.value)) < 1500


SAID = {"role": "assistant", "content": "hi"}
DUMPED = {**SAID, "annotations": [], **dict.fromkeys(["refusal", "function_call", "tool_calls"])}
BLOCKS = {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}


@pytest.mark.parametrize("given", [SAID, DUMPED, {"message": SAID}, BLOCKS])
def test_calls_that_are_added_to_such_a_message_are_not_lost(given: Any) -> None:
    added = load_sequence(given).model_copy(update={"calls": (Call(name="T"),)})
    assert [call.name for call in load_sequence(added.dump()).calls] == ["T"]


def test_memory_from_files(tmp_path: Path) -> None:
    texts = {"m.json": '{"a": [1, null]}', "m.yaml": "a: [1, ~]", "n.yml": '{"a": [1, null]}'}
    for name, text in texts.items():
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        assert load_memory(path).values == {"a": [1, None]}


def test_a_file_is_named_in_messages_and_names_its_catalog(tmp_path: Path) -> None:
    path = tmp_path / "hotels.yaml"
    path.write_text("tools: [{name: T}]", encoding="utf-8")
    assert load_catalog(path).name == "hotels"
    path.write_text("{name: own, tools: []}", encoding="utf-8")
    assert load_catalog(path).name == "own"
    path.write_text("tools:\n  - name: T\n    efect: read\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"hotels\.yaml:3: tools\[0\]\.efect: the key 'efect'"):
        load_catalog(path)
    path.write_text("T()\nU(a=1, a b)\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"hotels\.yaml:2:8: argument 2"):
        load_sequence(path)
