"""The catalogs that come with the package, and catalogs as they are kept: what is read back is what was written."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refract_asp import Refractor, repair
from refract_asp.errors import UnknownFormatError
from refract_asp.formats import catalog_mistakes, dump_catalog, load_catalog
from refract_asp.formats.catalog_cache import restored, stored
from refract_asp.integrations import Hook, guarded
from refract_asp.model import Catalog, Parameter, Tool
from refract_asp.resources import catalog_names, catalog_path

from .made import values

CATALOGS = Path(__file__).resolve().parents[2] / "catalogs"


def test_a_shipped_catalog_is_found_by_its_name() -> None:
    for name in catalog_names():
        catalog = Catalog.load(name)
        assert catalog.name == name
        assert catalog.tools == load_catalog(CATALOGS / f"{name}.yaml").tools
        assert catalog_mistakes(name) == (catalog, ())
    call = 'TripadvisorSearchLocation(qury="London")'
    assert repair(call, "travel").verdict == Refractor("travel").repair(call).verdict == "repaired"
    assert Hook("travel")(call).outcome == "repair"
    search = guarded("travel", tool="TripadvisorSearchLocation")(lambda query: query)
    assert search("London") == "London"


@pytest.mark.parametrize("name", ["travle", "Travel", "my-tools"])
def test_a_name_that_no_shipped_catalog_has(name: str) -> None:
    message = f"no shipped catalog '{name}'. Shipped: .*travel, weather. For a file"
    with pytest.raises(UnknownFormatError, match=message):
        Catalog.load(name)


def test_any_other_text_is_content() -> None:
    assert [tool.name for tool in Catalog.load("tools: [{name: travel}]")] == ["travel"]
    with pytest.raises(UnknownFormatError, match="no catalog format fits"):
        Catalog.load(" travel")


@pytest.mark.parametrize("path", sorted(CATALOGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_each_catalog_reads_back_and_describes_everything(path: Path) -> None:
    catalog = load_catalog(path)
    assert catalog.name == path.stem
    assert load_catalog(dump_catalog(catalog)) == catalog
    for tool in catalog:
        assert tool.description
        assert tool.effect != "unknown"
        assert all(parameter.description for parameter in tool.parameters.values()), tool.name


# -- as they are kept ------------------------------------------------------------------

KEYS = st.sampled_from(["$defs", "type", "properties", "description", "x"]) | st.text(max_size=3)
NAMED = st.dictionaries(KEYS, values, max_size=4)


@pytest.mark.slow
@given(NAMED, NAMED | st.none(), NAMED | st.none(), st.text(max_size=5))
def test_any_schema_comes_back(parameter: Any, inputs: Any, outputs: Any, text: str) -> None:
    parameters = {"a": Parameter(name="a", json_schema=parameter, required=True)}
    schemas = {"parameters": parameters, "input_schema": inputs, "output_schema": outputs}
    tool = Tool(name="Do", description=text, **schemas)
    catalog = Catalog(tools=(tool,), name=text, format="native")
    try:
        paths = tool.output_paths
    except (TypeError, ValueError, AttributeError):
        return  # what is no schema at all cannot be listed, and is not kept
    back = restored(stored(catalog))
    assert back == catalog
    assert back.format == catalog.format
    assert json.dumps(back.model_dump(mode="json")) == json.dumps(catalog.model_dump(mode="json"))
    assert back.tools[0].output_paths == paths
    assert back.tools[0].output_fields == tool.output_fields


@pytest.mark.parametrize("name", catalog_names())
def test_what_is_shipped_comes_back(name: str) -> None:
    catalog = Catalog.load(catalog_path(name))
    back = restored(stored(catalog))
    assert back == catalog
    assert back.dump() == catalog.dump()
    assert [tool.output_fields for tool in back] == [tool.output_fields for tool in catalog]


def test_shared_definitions_are_written_and_built_once() -> None:
    shared = {"type": "object", "properties": {"long": {"description": "word " * 1000}}}

    def get(number: int) -> Tool:
        schema = {"$ref": "#/$defs/Pet", "$defs": {"Pet": shared}}
        return Tool(name=f"get{number}", output_schema=schema)

    catalog = Catalog(tools=tuple(map(get, range(50))))
    text = stored(catalog)
    assert text.count("word word") == json.dumps(shared).count("word word")
    back = restored(text)
    assert back == catalog
    first, *others = [tool.output_schema or {} for tool in back]
    assert all(schema["$defs"]["Pet"] is first["$defs"]["Pet"] for schema in others)


OTHERS = ["", "{}", "[]", "[1,2,3]", '["",null,[],[[1]]]', '["",null,[],[7]]', "null"]


@pytest.mark.parametrize("text", OTHERS)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises((ValueError, TypeError, KeyError, IndexError)):
        restored(text)
