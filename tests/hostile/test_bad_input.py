"""Hostile and clumsy input: a clear error, or a correct result; never program text, never anything lost."""

import json
from pathlib import Path

import clingo
import pytest

from declaring import NEEDED, TEXT, tool
from refract_asp import Catalog, Refractor, Sequence, check, repair
from refract_asp.errors import EncodingError, LimitError
from refract_asp.model import Call, Constant, Reference
from refract_asp.model.catalog import Parameter, Tool

HOSTILE: dict[str, str] = json.loads(Path(__file__).with_name("hostile.json").read_text("utf-8"))[
    "names"
] | {"long": "x" * 100_000}


def catalog_of(name: str) -> Catalog:
    """A catalog in which tool, parameter and output field bear the name."""
    parameters = {name: Parameter(name=name, required=True, json_schema={"type": "string"})}
    schema = {"type": "object", "properties": {name: {"type": "string"}}}
    make = Tool(name=name, effect="read", parameters=parameters, output_schema=schema)
    return Catalog(tools=(make,))


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_names_stay_names(name: str) -> None:
    catalog = catalog_of(name)
    first = Call(name=name, arguments={name: Constant(value=name)}, label="var1")
    second = Call(name=name, arguments={name: Reference(label="var1", path=(name,))}, label="var2")
    valid = Sequence(calls=(first, second))
    refractor = Refractor(catalog)
    assert refractor.check(valid).verdict == "valid"
    assert refractor.repair(valid).sequence == valid

    lost = Sequence(calls=(first.model_copy(update={"label": None}), second))
    result = refractor.repair(lost)
    assert result.sequence == valid
    assert Sequence.load(result.sequence.dump("pretty")) == valid
    json.dumps(result.model_dump(mode="json"))
    assert not any(c != "\n" and not c.isprintable() for c in result.diff())

    facts = refractor.facts(lost)
    control = clingo.Control(["--warn=none"])
    control.add("base", [], facts)
    control.ground([("base", [])])
    assert {atom.symbol.name[:3] for atom in control.symbolic_atoms} == {"in_"}


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_label_that_no_plain_word_is(name: str) -> None:
    catalog = catalog_of("Tool")
    calls = (
        Call(name="Tool", arguments={"Tool": Constant(value="x")}, label=name),
        Call(name="Tool", arguments={"Tool": Reference(label=name, path=("Tool",))}),
    )
    assert check(Sequence(calls=calls), catalog).verdict == "valid"
    assert repair(Sequence(calls=calls[1:]), catalog).verdict in ("needs_input", "repaired")


WRONG = [("a :- b\n", ":2"), ("#const weight_ask = 3.\n", "own")]


@pytest.mark.parametrize(("text", "place"), WRONG)
def test_encodings_are_checked(text: str, place: str, tmp_path: Path, catalog: Catalog) -> None:
    """See `rules/test_policy.py` for what else is refused."""
    own = tmp_path / "own.lp"
    own.write_text(text, "utf-8")
    with pytest.raises(EncodingError) as caught:
        Refractor(catalog, encodings=[own]).repair("var1 = SkyScrapperSearchAirprt(query=1)")
    assert place in str(caught.value)


@pytest.mark.parametrize("size", [200, 2000])
def test_many_output_fields_stay_cheap_and_are_found(size: int) -> None:
    fields = {f"field_{number}": TEXT for number in range(size)}
    tools = [tool("Make", "read", fields), tool("Use", "read", value=NEEDED)]
    result = repair(f'a = Make()\nUse(value="$a.feild_{size - 1}$")', {"tools": tools})
    assert str(result.sequence).splitlines()[1] == f'Use(value="$a.field_{size - 1}$")'


def test_cycles_are_broken() -> None:
    catalog = catalog_of("Tool")
    result = repair('a = Tool(Tool="$b.Tool$")\nb = Tool(Tool="$a.Tool$")', catalog)
    assert result.verdict == "needs_input"
    answer = result.answer({ask.name: "x" for ask in result.asks}, confirmed=True)
    assert check(answer, catalog).verdict == "valid"


MARKS = ["<tool_call>", "[TOOL_CALLS][{", "```json\n", "<function=Pay>"]


@pytest.mark.parametrize("mark", MARKS, ids=ascii)
def test_a_text_full_of_marks_is_refused_before_it_is_read(mark: str) -> None:
    with pytest.raises(LimitError, match="marked calls"):
        Sequence.load(mark * 20_000, "loose")
    with pytest.raises(LimitError, match="prose is longer"):
        Sequence.load(mark * 60_000, "loose")
