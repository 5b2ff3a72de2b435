"""Made-up sequences for property tests: hostile names, every kind of source, written the usual way."""

from copy import deepcopy
from itertools import chain
from typing import Any

from hypothesis import strategies as st
from pydantic import create_model

from refract_asp.formats.references import read_source, structure_of
from refract_asp.model import Ask, Call, Constant, Reference, Sequence, Source, Template
from refract_asp.model.sequence import ConfirmArgument, ConfirmDrop, ConfirmTool
from yaml_files import tables

HOSTILE = [
    *("", "ask", "confirm", "return", "without", "true", "None", "var_result", "we(ird", 'a"b'),
    *("it's", "a\nb", "a = b", "#script (python)", "a`b", "$filter", "$x$", "$$", "filter[price]"),
    *("page.size", "100%", "%24", "\\", "\x1b[31m", "\u202e", "café", "名前", "a\u00a0b"),
    *("ctrl\x00", "a-b", "1st", "Real-Time_Product.Search"),
]
TRICKY_TEXTS = [
    *("$var1.x$", "$$var1.x$", "$$$var1.x$", "$name$", "$100-$200", "$a$b$", "US$$amount$"),
    *("$a.b c$ and $d", "$['q']$", "$x['a.b'][0]$", "$", "$$", "a$", "$a", "$a.$", "$a[0]b$"),
]

names = st.sampled_from(HOSTILE) | st.text(max_size=6)
labels = st.sampled_from(["var1", "var2", "date_from_user", "a-b"]) | names
texts = st.sampled_from(TRICKY_TEXTS) | st.text(max_size=12)
texts |= st.text(alphabet="$a.[0]'b ", max_size=14)
numbers = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | texts


def within(leaves: st.SearchStrategy[Any], keys: Any, most: int) -> st.SearchStrategy[Any]:
    """Return what draws leaves, alone and within lists and mappings."""

    def wider(inner: Any) -> Any:
        return st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4)

    return st.recursive(leaves, wider, max_leaves=most)


values = within(scalars, names, 5)
paths = st.lists(names | st.integers(0, 10**9 - 1), max_size=3).map(tuple)


def template_of(parts: list[Any]) -> Source:
    """Return a template whose texts do not touch, or the reference or constant that it comes down to."""
    joined: list[Any] = []
    for part in parts:
        if part == "":
            continue
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    if all(isinstance(part, str) for part in joined):
        return Constant(value="".join(joined))
    return joined[0] if len(joined) == 1 else Template(parts=tuple(joined))


def sources(asks: list[str], bare: bool) -> st.SearchStrategy[Source]:
    """Return what draws sources that ask for these names only."""
    asked = st.sampled_from(asks).map(lambda name: Ask(name=name)) if asks else st.nothing()
    references = st.builds(Reference, label=labels, path=paths)
    slots = references.filter(lambda each: each.path or each.label not in asks) | asked
    leaves = values.map(lambda value: Constant(value=value)) | slots
    leaves |= st.lists(texts | slots, min_size=1, max_size=5).map(template_of)
    nested = st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=3).map(structure_of)
            | st.dictionaries(names, inner, max_size=3).map(structure_of)
        ),
        max_leaves=4,
    )
    if not bare:
        return nested
    words = st.sampled_from(["var1", "date_from_user", "a-b", "größe"])
    free = words.filter(lambda label: label not in asks)
    return nested | free.map(lambda label: Reference(label=label, bare=True))


@st.composite
def sequences(draw: st.DrawFn, bare: bool = True) -> Sequence:
    """Draw a sequence; `bare` allows bare names, which only the printed form can write."""
    asks = draw(st.lists(names, unique=True, max_size=2))
    drawn = sources(asks, bare)
    calls = []
    for _ in range(draw(st.integers(0, 3))):
        arguments = draw(st.dictionaries(names, drawn, max_size=3))
        confirm = st.just(ConfirmTool()) | names.map(lambda name: ConfirmDrop(parameter=name))
        if arguments:
            given = st.sampled_from(list(arguments))
            confirm |= given.map(lambda name: ConfirmArgument(parameter=name))
        confirms = tuple(draw(st.lists(confirm, max_size=2)))
        label = draw(st.none() | labels)
        calls.append(Call(name=draw(names), arguments=arguments, label=label, confirms=confirms))
    returns = draw(st.none() | st.dictionaries(names, sources(asks, False), max_size=2))
    return Sequence(calls=tuple(calls), asks=tuple(asks), returns=returns)


def same(one: Sequence, other: Sequence) -> bool:
    """Whether two sequences are equal to the type of each number, whatever format they came from."""
    parts = [repr(each.model_copy(update={"format": None})) for each in (one, other)]
    return parts[0] == parts[1]


def model(title: str, /, **fields: Any) -> Any:
    """Return a pydantic model with these fields, each with its default or as it is needed (`...`)."""
    return create_model(title, **{key: (Any, value) for key, value in fields.items()})


def constant(text: str) -> bool:
    """Whether a text reads as itself."""
    return read_source(text) == Constant(value=text)


def filled(shape: Any, parts: dict[str, Any]) -> Any:
    """Return a shape with its parts in their places; what stands for entries is a list, or a part of one."""
    if isinstance(shape, dict):
        return {key: filled(value, parts) for key, value in shape.items()}
    if isinstance(shape, list):
        lists = (parts[each] if each == "ENTRIES" else [filled(each, parts)] for each in shape)
        return list(chain.from_iterable(lists))
    if isinstance(shape, str) and shape not in parts:
        return shape.replace("NUMBER", str(parts.get("NUMBER")))
    return parts.get(shape, shape)


BOOKING: dict[str, Any] = tables(__file__)
"""The formats of catalogs that hold schemas."""


def booking(format: str, fields: dict[str, Any], needed: str, more: Any) -> Any:
    """
    Return a catalog of the tool `book`, whose parameters have some schemas, in a format.

    One parameter is needed; `more` stands in the schema of all of them. What may be null besides is null.
    """
    whole = {**more, "type": "object", "properties": fields, "required": [needed]}
    marked = {**fields, needed: {**fields[needed], "required": True}}
    parts = {"WHOLE": whole, "MARKED": marked, "FIELDS": fields, "NEEDED": [needed]}
    return deepcopy(filled(BOOKING[format], parts))
