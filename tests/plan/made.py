"""Plans made at random: every name they read is an alias, a tool `f` to `h`, or a value `u` to `w`."""

import hashlib
import re

from hypothesis import strategies as st

from refract_asp.plan import UNDEFINED, Alias, Expression, Plan, to_sequence
from refract_asp.plan.syntax import (
    FieldOf,
    IndexOf,
    Invocation,
    ListOf,
    Literal,
    Name,
    ObjectOf,
    TextOf,
)

KEYS = st.sampled_from(["city", "date", "x1", "_y", "if", "first name", "a.b", "é", "0", ""])
FIELDS = st.sampled_from(["id", "items", "name", "of", "odd key"])
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
WHOLE = FLOATS.map(lambda x: int(x) if x.is_integer() and abs(x) < 2**53 else x)
NUMBERS = st.integers(-(10**20), 10**20) | WHOLE
ODD = ["it's", "\\d", "$var1.x$", "`${x}`", "//", "/* */", "\n", "'", '"', "{", "True"]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(ODD)
CONSTANTS = NUMBERS | TEXTS | st.booleans() | st.none()
TOOLS = (Name("f"), Name("g"), FieldOf(Name("h"), "find"))


def _expression(draw: st.DrawFn, names: list[str], depth: int) -> Expression:
    deeper = ["call", "call", "object", "list"] * (depth > 0)
    kind = draw(st.sampled_from(["literal", "read", "read", *deeper]))
    if kind == "literal":
        return Literal(draw(CONSTANTS))
    if kind == "read":
        root: Expression = Name(draw(st.sampled_from([*names, *names, "u", "v", "w"])))
        if depth > 0 and draw(st.booleans()):
            root = _call(draw, names, depth - 1)
        return _inside(draw, root)
    if kind == "call":
        return _call(draw, names, depth - 1)
    if kind == "object":
        return _object(draw, names, depth - 1)
    count = draw(st.integers(0, 3))
    return ListOf(tuple(_expression(draw, names, depth - 1) for _ in range(count)))


def _inside(draw: st.DrawFn, expression: Expression) -> Expression:
    for _ in range(draw(st.integers(0, 2))):
        index = IndexOf(expression, Literal(draw(st.integers(0, 12))))
        expression = FieldOf(expression, draw(FIELDS)) if draw(st.booleans()) else index
    return expression


def _object(draw: st.DrawFn, names: list[str], depth: int) -> ObjectOf:
    keys = draw(st.lists(KEYS, max_size=3, unique=True))
    return ObjectOf(tuple((key, _expression(draw, names, depth)) for key in keys))


def _call(draw: st.DrawFn, names: list[str], depth: int) -> Expression:
    tool = draw(st.sampled_from(TOOLS))
    if draw(st.booleans()):
        return Invocation(tool, (_object(draw, names, depth),))
    given = [_expression(draw, names, depth) for _ in range(draw(st.integers(0, 2)))]
    return Invocation(tool, tuple(given))


def _template(draw: st.DrawFn, names: list[str]) -> TextOf:
    """Draw a template: a text, a reference, a text; one of only texts would be read as a text."""
    texts = [draw(TEXTS), draw(TEXTS)]
    read = _inside(draw, Name(draw(st.sampled_from([*names, "u"]))))
    return TextOf(tuple(part for part in (texts[0], read, texts[1]) if part != ""))


@st.composite
def plans(draw: st.DrawFn, *, templates: bool = False) -> Plan:
    """
    Draw a plan whose aliases read only those above them; some are bound to `undefined`.

    Templates, if there are any, are aliases or what is returned.
    """
    names: list[str] = []
    aliases: list[Alias] = []
    for number in range(draw(st.integers(0, 4))):
        value = _expression(draw, names, 2) if draw(st.integers(0, 9)) else Literal(UNDEFINED)
        if templates and draw(st.booleans()):
            value = _template(draw, [])
        comments = tuple(draw(st.lists(st.sampled_from(["// find it", "/* a\nb */"]), max_size=1)))
        name = draw(st.sampled_from([f"a{number}", f"var{number}", f"value{number}"]))
        aliases.append(Alias(name, value, comments))
        names.append(name)
    result = _expression(draw, names, 2)
    if templates:
        result = Invocation(TOOLS[0], (ObjectOf((("text", _template(draw, [])), ("of", result))),))
    return Plan(tuple(aliases), result)


def shape(plan: Plan) -> list[str]:
    """Return the calls of a plan and its result, with what they read in place of names, in any order."""
    sequence = to_sequence(plan)
    meant: dict[str, str] = {}

    def told(data: str) -> str:
        return re.sub(r'"label":"([^"]*)"', lambda found: meant.get(found[1], found[0]), data)

    calls = []
    for call in sequence.calls:  # each stands behind those that it reads
        calls.append(told(call.model_dump_json(exclude={"label"})))
        if call.label is not None:
            meant[call.label] = f'"label":"{hashlib.sha1(calls[-1].encode()).hexdigest()}"'
    returned = sequence.model_dump_json(include={"returns"})
    return [*sorted(calls), told(returned)]
