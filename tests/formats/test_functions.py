"""Python functions, pydantic models and tool objects as catalogs."""

import functools
from collections.abc import Awaitable
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from refract_asp import Refractor
from refract_asp.errors import CatalogError, FormatError, InputError, UnknownFormatError
from refract_asp.formats import catalog_mistakes, load_catalog
from refract_asp.model import Catalog, Tool
from refract_asp.model.schemas import schema_type

from .made import model


class Hit(BaseModel):
    """A book that was found."""

    id: str
    similar: list["Hit"] = []


class Opaque:
    """Nothing that JSON has."""


ANTHROPIC = {"name": "search", "input_schema": {"type": "object", "properties": {}}}
CALLED: list[object] = []


def search(
    query: Annotated[str, Field(min_length=1)],
    /,
    limit: int = 10,
    *rest: int,
    kind: Literal["book", "song"] = "book",
    like: Hit | None = None,
    on_hit: Any = CALLED.append,
    json: str = Field("x", description="Own words."),
    must: Annotated[int, Field(ge=1)],
    **more: bool,
) -> list[Hit]:
    """
    Find books.

    Nothing is lent.

    Args:
        query: What to look for,
            in words.
        limit (int): How many.
        json: Not shown.

    Returns:
        The books.
    """
    CALLED.append(query)
    raise AssertionError


def numpy_style(a: float, b: Any) -> None:
    """
    Add.

    Parameters
    ----------
    a : float
        The first.
    """


async def sphinx_style(a: float, b) -> int:  # type: ignore[no-untyped-def]
    """Add.

    :param a: The first.
    :returns: The sum.
    """
    return 0


def nothing() -> None: ...
def unsaid(): ...  # type: ignore[no-untyped-def]
def opaque_result() -> Opaque: ...  # type: ignore[empty-body]
def later() -> Awaitable[int]: ...  # type: ignore[empty-body]
def several() -> list[int]: ...  # type: ignore[empty-body]


class Service:
    """Has methods."""

    def find(self, query: str) -> int:
        """Find."""
        return 0

    def __call__(self, query: str) -> int:
        """Call."""
        return 0

    @staticmethod
    def static(query: str) -> int:
        """Stay."""
        return 0


class Book(BaseModel):
    """Book a room.

    Args:
        room: Which room.
    """

    room: int
    notes: str = Field("", description="Anything.")


@dataclass
class Plain:
    x: int
    y: str = "a"


class Typed(TypedDict, total=False):
    """Typed."""

    x: int


def base(first: int, query: str) -> int:
    """Base."""
    return 0


SERVICE = Service()
ALL: list[Any] = [
    *(search, numpy_style, sphinx_style, nothing, unsaid, opaque_result, later, several),
    *(SERVICE.find, SERVICE, Service.static, functools.partial(base, 1), Book, Plain, Typed, Hit),
]


def test_functions_and_models() -> None:
    """All of them are the tools of `cases/functions.yaml`, and none is called."""
    catalog = load_catalog(ALL)
    assert catalog.format == "functions"
    assert catalog.tools == load_catalog(Path(__file__).parent / "cases" / "functions.yaml").tools
    assert not CALLED


class Anything(SimpleNamespace):
    """A tool object that can be called with anything, as those of frameworks often can."""

    def __call__(self, *args: Any, sanitize: bool = False, **kwargs: Any) -> Any:
        raise AssertionError


def made(args_schema: Any, **more: Any) -> Any:
    return Anything(name="made", description="Made up.", args_schema=args_schema, **more)


class OldModel:
    """As the models of pydantic's first version are."""

    @classmethod
    def schema(cls) -> dict[str, Any]:
        return {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}


@pytest.mark.parametrize("schema", [Hit, Hit.model_json_schema(), OldModel])
def test_tool_objects(schema: Any) -> None:
    (tool,) = load_catalog([made(schema)])
    assert (tool.name, tool.description) == ("made", "Made up.")
    assert tool.parameters["id"].required
    (tool,) = load_catalog(made(Hit, tool_call_schema={"type": "object", "properties": {}}))
    assert tool.parameters == {}


ROOM = {"room": {"type": "string"}, "nights": {"type": "integer", "default": 1}}
SCHEMA: dict[str, Any] = {"type": "object", "properties": ROOM, "required": ["room"]}


def never(**arguments: Any) -> None:
    raise AssertionError


AgentsTool = make_dataclass("AgentsTool", ["name", "description", "params_json_schema"])
Definition = make_dataclass("Definition", ["name", "description", "parameters_json_schema"])


Annotations = model("Annotations", title=None, readOnlyHint=None)
OF_SERVERS: Any = {"name": ..., "description": None, "annotations": None}
ServerTool = model("ServerTool", **OF_SERVERS, inputSchema=..., outputSchema=None)
NewServerTool = model("NewServerTool", **OF_SERVERS, input_schema=Field(alias="inputSchema"))
Listed = model("Listed", nextCursor=None, tools=...)
Params = model("Params", **SCHEMA)


class PydanticTool(SimpleNamespace):
    """As `pydantic_ai.Tool`, which says by its definition what a model is told."""

    @property
    def tool_def(self) -> Any:
        return Definition(self.name, self.description, SCHEMA)


class FastTool(SimpleNamespace):
    """As the tools of FastMCP."""

    def to_mcp_tool(self, **options: Any) -> Any:
        named = {"name": self.name, "description": self.description}
        return ServerTool(**named, inputSchema=self.parameters, annotations=self.annotations)


class Metadata(SimpleNamespace):
    """As LlamaIndex's."""

    def get_parameters_dict(self) -> dict[str, Any]:
        return SCHEMA


class HasMethod(Anything):
    """As the tools of Agent Framework."""

    def parameters(self) -> dict[str, Any]:
        return SCHEMA


NAMED = {"name": "book", "description": "Book a room."}


class FromProperties(Anything):
    """As LlamaIndex has it; what is not asked for raises."""

    secret = property(lambda self: 1 / 0)
    metadata = property(lambda self: Metadata(**NAMED))


INPUTS = {
    "room": {"type": "string", "description": "Which."},
    "nights": {"type": "integer", "nullable": True, "description": "How many."},
}
READS = Annotations(readOnlyHint=True)
DESTROYS = SimpleNamespace(destructive_hint=True)
SERVER = ServerTool(**NAMED, inputSchema=SCHEMA, annotations=READS, outputSchema={"type": "object"})
INNER = SimpleNamespace(json_schema=SCHEMA)
TOOL_OBJECTS: dict[str, tuple[Any, str]] = {
    "agents": (AgentsTool(**NAMED, params_json_schema=SCHEMA), "unknown"),
    "pydantic_ai definition": (Definition(**NAMED, parameters_json_schema=SCHEMA), "unknown"),
    "pydantic_ai tool": (PydanticTool(**NAMED, function=never), "unknown"),
    "pydantic_ai schema": (SimpleNamespace(**NAMED, function_schema=INNER), "unknown"),
    "mcp": (SERVER, "read"),
    "mcp, new": (NewServerTool(**NAMED, inputSchema=SCHEMA, annotations=READS), "read"),
    "snake": (SimpleNamespace(**NAMED, input_schema=SCHEMA, annotations=DESTROYS), "destructive"),
    "fastmcp": (FastTool(**NAMED, parameters=SCHEMA, annotations=READS), "read"),
    "smolagents": (Anything(**NAMED, inputs=INPUTS, output_type="string"), "unknown"),
    "llama_index": (Anything(metadata=Metadata(**NAMED), fn=never), "unknown"),
    "haystack": (SimpleNamespace(**NAMED, parameters=SCHEMA, function=never), "unknown"),
    "inspect": (SimpleNamespace(**NAMED, parameters=Params(), tool=never), "unknown"),
    "agent_framework": (HasMethod(**NAMED), "unknown"),
    "crewai": (Anything(**NAMED, args_schema=SCHEMA), "unknown"),
    "dspy": (Anything(name="book", desc="Book a room.", args=ROOM), "unknown"),
    "llama_index, properties": (FromProperties(), "unknown"),
}


@pytest.mark.parametrize(("given", "effect"), TOOL_OBJECTS.values(), ids=TOOL_OBJECTS)
def test_tool_objects_of_agent_frameworks(given: Any, effect: str) -> None:
    other = {"name": "other", "inputSchema": {"type": "object"}}
    for data in (given, [given], [search, other, given], SimpleNamespace(tools=[given])):
        tool = load_catalog(data).by_name["book"]
        assert (tool.name, tool.description, tool.effect) == ("book", "Book a room.", effect)
        needed = {name: parameter.required for name, parameter in tool.parameters.items()}
        assert needed == {"room": True, "nights": False}
        assert schema_type(tool.parameters["nights"].json_schema) == "integer"
        assert not tool.additional_parameters


def test_lists_of_tools_that_objects_hold() -> None:
    listed = Listed(tools=[SERVER, ServerTool(name="other", inputSchema={"type": "object"})])
    by_name = SimpleNamespace(tools={"book": PydanticTool(**NAMED, function=never)})
    assert [tool.name for tool in load_catalog(listed)] == ["book", "other"]
    assert [tool.name for tool in load_catalog([listed, search])] == ["book", "other", "search"]
    assert [tool.name for tool in load_catalog(by_name)] == ["book"]
    assert load_catalog(listed).by_name["book"].output_schema == {"type": "object"}
    assert load_catalog(listed, "mcp").tools == load_catalog(listed).tools
    with pytest.raises(CatalogError, match=r"^\[1\]\.tools\[0\]\.name: two tools are named 'book'"):
        load_catalog([SERVER, listed])


NAMELESS = SimpleNamespace(name=None, metadata=SimpleNamespace(name=""), inputs={})
BY_NAME = SimpleNamespace(name="book", parameters={"room": "string"})


class Unreadable:
    name = "x"
    description = "y"

    @property
    def args_schema(self) -> Any:
        raise RuntimeError("not now")


NO_TOOLS: list[tuple[Any, str, type[Exception]]] = [
    ([search, Anything()], r"^\[1\]: an object of type Anything does not say what", TypeError),
    (Anything(name="book"), "does not say what it takes. Give functions", TypeError),
    ([search, object()], r"^\[1\]: a value of type object is no tool\. Give", TypeError),
    ([b"x"], "a value of type bytes is no tool", TypeError),
    ({1, 2}, "a value of type set is no tool", TypeError),
    (SimpleNamespace(name="book"), "no catalog format fits", InputError),
    (BY_NAME, "^parameters: the tool has no schema", InputError),
    (SimpleNamespace(name="book", inputs=3), "^inputs: the tool has no schema", InputError),
    (NAMELESS, "the tool has no name", InputError),
    ([Unreadable()], r"^\[0\]\.args_schema: it cannot be read: not now", FormatError),
    ([search, search], r"^\[1\]\.name: two tools are named 'search'", CatalogError),
    ([search, {"a": 1}], r"^\[1\]: no catalog format fits", UnknownFormatError),
]


@pytest.mark.parametrize(("given", "message", "kind"), NO_TOOLS)
def test_objects_that_are_no_tools(given: Any, message: str, kind: type[Exception]) -> None:
    with pytest.raises(kind, match=message) as raised:
        load_catalog(given)
    assert isinstance(raised.value, InputError)


def test_kinds_may_be_mixed() -> None:
    catalog = Catalog.load([numpy_style, ANTHROPIC, Hit, made(Hit), Tool(name="own")])
    assert [tool.name for tool in catalog] == ["numpy_style", "search", "Hit", "made", "own"]
    assert Refractor(catalog).check("numpy_style(a=1, b=2)").verdict == "valid"


def unresolved(a: "Nowhere") -> None:  # type: ignore[name-defined]  # noqa: F821
    """Has a hint that leads nowhere."""


def opaque(a: int, connection: Opaque) -> None:
    """Take what JSON does not have."""


class Fails(BaseModel):
    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
        raise RuntimeError("not now")


WRONG: list[tuple[Any, str]] = [
    ([unresolved], r"^\[0\]: a type hint of unresolved cannot be resolved: name 'Nowhere' is not"),
    ([search, opaque], r"^\[1\]\.connection: no schema can be made of the type of 'connection' of"),
    ([lambda a: a], r"^\[0\]: the function <lambda> has no name"),
    ([Opaque], r"^\[0\]: the class 'Opaque' is no tool"),
    ([search, dict.fromkeys, type], r"^\[2\]: the class 'type' is no tool"),
    ([max], r"^\[0\]: Python cannot tell the parameters of max"),
    ([search, 5], r"^\[1\]: a value of type int is no tool"),
    ([search, {"name": "a", "input_schema": 5}], r"^\[1\]\.input_schema: a JSON Schema of an"),
    ([made(None)], r"^\[0\]\.args_schema: the tool has no schema"),
    ([made({"properties": [1]})], r"^\[0\]\.args_schema\.properties: a mapping"),
    ([made({"default": {1, 2}})], r"^\[0\]\.args_schema\.default: a value of type set"),
    ([Fails], r"^\[0\]: no schema can be made of Fails: not now"),
]


@pytest.mark.parametrize(("data", "message"), WRONG)
def test_a_mistake_is_named_with_its_place(data: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load_catalog(data)


def test_other_mistakes() -> None:
    with pytest.raises(FormatError, match="not a JSON value"):
        load_catalog([search], "openai")
    with pytest.raises(FormatError, match="is no tool"):
        load_catalog([ANTHROPIC, 5], "functions")
    catalog, mistakes = catalog_mistakes([numpy_style, opaque, Hit])
    assert [tool.name for tool in catalog] == ["numpy_style", "Hit"]
    assert len(mistakes) == 1


DOCSTRINGS = ["", "   ", ":param", ":param a b c d: e", "Args:\n", "Parameters\n---", "\ud800"]


@pytest.mark.parametrize("text", DOCSTRINGS)
def test_docstrings_that_cannot_be_taken_apart(text: str) -> None:
    def odd(a: int) -> None: ...

    odd.__doc__ = text
    if text.isascii():
        assert load_catalog(odd).tools[0].name == "odd"
        return
    with pytest.raises(FormatError, match="lone surrogate"):
        load_catalog(odd)


def test_a_dict_of_functions_and_a_module_are_their_tools() -> None:
    module = ModuleType("tools_of_mine")
    code = "from json import loads\ndef look(at: int): 'Look.'\ndef _hidden(): ...\nclass No: ..."
    exec(code, module.__dict__)
    assert [tool.name for tool in Catalog.load(module).tools] == ["look"]
    look = module.look
    (tool,) = Catalog.load({"watch": look}).tools
    assert (tool.name, list(tool.parameters), tool.description) == ("watch", ["at"], "Look.")
    assert [tool.name for tool in Catalog.load([{"watch": look}, look]).tools] == ["watch", "look"]
