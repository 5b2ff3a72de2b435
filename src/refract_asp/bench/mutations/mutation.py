"""A sequence that was broken on purpose, the place where, and what a repair should make of it."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from refract_asp.model import Ask, Call, Catalog, Constant, Parameter, Sequence, Source, Tool
from refract_asp.model.paths import FieldPath, entered
from refract_asp.model.schemas import JsonSchema, schema_types
from refract_asp.model.sequence import Structure, Template
from refract_asp.model.stages import Read
from refract_asp.model.stages import reads_of as all_reads_of
from refract_asp.rules.schemas.dialects import standard
from refract_asp.rules.schemas.validation import BrokenSchemaError, Validator

ATTEMPTS = 100

T = TypeVar("T")


class UnbreakableError(Exception):
    """There is no way to break a place by a kind."""


class Token(NamedTuple):
    """A place in a sequence: a call, an argument of it, a reference inside that (1, 2, ...; 0 is none)."""

    call: int
    parameter: str | None = None
    slot: int = 0


class Open(NamedTuple):
    """
    Arguments of an expected call that nobody can know any more.

    Attributes:
        call: the index of the call in the expected sequence.
        parameters: each may be asked for, hold any constant, or be absent.
    """

    call: int
    parameters: frozenset[str]


@dataclass(frozen=True, slots=True)
class Mutation:
    """
    A sequence with something wrong in it.

    Attributes:
        kind: the name of its kind; "mix" of several.
        broken: the sequence with what is wrong.
        expected: what the repair should be; an ask stands where a value is lost for good.
        token: where it was broken; the call counts in the sequence before.
        what: what was changed, for people.
        variant: how, where a kind has several ways, as "misspelt" and "invented" for names; else empty.
        informed: whether what is left tells how the sequence was; each kind says by which rule. A mix is
            informed if each part is, or an ask is expected for what it loses.
        open: what of the expected calls may differ.
        origins: for each call of the broken sequence which one it was before, None for one that was
            added; None where every call is where it was.
        parts: the single mutations that a mix consists of, each of the sequence as it was before all of them.
    """

    kind: str
    broken: Sequence
    expected: Sequence
    token: Token
    what: str
    variant: str = ""
    informed: bool = True
    open: tuple[Open, ...] = ()
    origins: tuple[int | None, ...] | None = None
    parts: tuple[Mutation, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether a value is lost for good, so that an ask is expected for it."""
        return len(self.expected.asks) > len(self.broken.asks)


def reads_of(sequence: Sequence) -> list[Read]:
    """Return every reference inside the calls, in the order of the text."""
    return [read for read in all_reads_of(sequence) if read.call < len(sequence.calls)]


def labels_of(sequence: Sequence) -> set[str]:
    """Return every label that a call bears or a reference names."""
    labels = {call.label for call in sequence.calls if call.label}
    return labels | {read.reference.label for read in reads_of(sequence)}


def is_same_use(read: Read, other: Read) -> bool:
    """Whether two calls read the same field as a parameter of the same name."""
    use = (read.parameter, read.reference.path)
    return read.call != other.call and use == (other.parameter, other.reference.path)


def with_call(sequence: Sequence, index: int, *calls: Call) -> Sequence:
    """Return the sequence with one call replaced by any number of others."""
    whole = (*sequence.calls[:index], *calls, *sequence.calls[index + 1 :])
    return sequence.model_copy(update={"calls": whole})


def with_argument(sequence: Sequence, token: Token, source: Source | None) -> Sequence:
    """Return the sequence with another argument at the token, as the last where there is none; or without."""
    call = sequence.calls[token.call]
    changed = {**call.arguments, token.parameter or "": source}
    left = {name: each for name, each in changed.items() if each is not None}
    return with_call(sequence, token.call, call.model_copy(update={"arguments": left}))


def with_ask(sequence: Sequence, token: Token) -> Sequence:
    """
    Return the sequence with an ask as the argument at the token.

    It is named after its parameter, after parameter and label, or with a number where that is taken.
    """
    call, parameter = sequence.calls[token.call], token.parameter or ""
    # A line reads a bare name as the ask, so the names of labels and of values from memory are taken too.
    taken = {*sequence.asks} | labels_of(sequence)
    names = [parameter, f"{parameter}_{call.label or call.name}"]
    names += [f"{parameter}_{n}" for n in range(2, len(taken) + 3)]
    name = next(name for name in names if name not in taken)
    asked = with_argument(sequence, token, Ask(name=name))
    return asked.model_copy(update={"asks": (*sequence.asks, name)})


@dataclass(frozen=True, slots=True)
class Place:
    """
    A place that may be broken.

    What it says of the tool, the parameter or the reference is there only where there is such a thing.

    Attributes:
        sequence: the sequence.
        catalog: its tools.
        token: the place in it.
        reads: every reference of the sequence.
        kind: the kind by which it is broken.
        rng: where chance comes from.
    """

    sequence: Sequence
    catalog: Catalog
    token: Token
    reads: list[Read]
    kind: str
    rng: random.Random

    @property
    def call(self) -> Call:
        """The call."""
        return self.sequence.calls[self.token.call]

    @property
    def is_known(self) -> bool:
        """Whether the catalog has the tool of the call."""
        return self.call.name in self.catalog.by_name

    @property
    def tool(self) -> Tool:
        """The tool of the call."""
        return self.catalog.by_name[self.call.name]

    @property
    def name(self) -> str:
        """The name of the parameter."""
        return self.token.parameter or ""

    @property
    def parameter(self) -> Parameter:
        """The parameter as the tool declares it."""
        return self.tool.parameters[self.name]

    @property
    def schema(self) -> JsonSchema:
        """The schema of the parameter."""
        return self.parameter.json_schema

    @property
    def types(self) -> frozenset[str]:
        """The JSON types that the parameter takes."""
        return schema_types(self.schema, self.tool.input_schema)

    @property
    def source(self) -> Source:
        """What the argument is bound to."""
        return self.call.arguments[self.name]

    @property
    def is_constant(self) -> bool:
        """Whether the argument is a constant; executable#84 holds a reference without its closing dollar."""
        return isinstance(self.source, Constant) and not str(self.value).startswith("$var")

    @property
    def value(self) -> Any:
        """The value of a constant, None of another source."""
        return getattr(self.source, "value", None)

    @property
    def free(self) -> list[str]:
        """The declared parameters that have no argument, and the one of the place."""
        return [p for p in self.tool.parameters if p == self.name or p not in self.call.arguments]

    @property
    def read(self) -> Read:
        """The reference; the first one where the token is a whole argument."""
        where = (self.token.call, self.token.parameter)
        found = (r for r in self.reads if (r.call, r.parameter) == where)
        return next(r for r in found if self.token.slot in (0, r.slot))

    @property
    def path(self) -> FieldPath:
        """The path of the reference."""
        return self.read.reference.path

    @property
    def giver(self) -> Tool | None:
        """The tool that the reference reads from, None where the catalog does not have it."""
        producer = self.read.producer
        found = None if producer is None else self.sequence.calls[producer].name
        return self.catalog.by_name.get(found or "")

    @property
    def has_own_label(self) -> bool:
        """Whether the call bears a label that no other one bears."""
        labels = [call.label for call in self.sequence.calls]
        return self.call.label is not None and labels.count(self.call.label) == 1

    @property
    def paths_read(self) -> list[FieldPath]:
        """The distinct paths that are read from the call, in the order of the text."""
        reads = (r for r in self.reads if r.producer == self.token.call)
        return list(dict.fromkeys(r.reference.path for r in reads))

    def changed(self, **changes: Any) -> Sequence:
        """Return the sequence with the call changed."""
        return with_call(self.sequence, self.token.call, self.call.model_copy(update=changes))

    def bound(self, source: Source | None) -> Sequence:
        """Return the sequence with the argument bound to something else, or without it."""
        return with_argument(self.sequence, self.token, source)

    def refuses(self, value: object, name: str | None = None) -> bool:
        """Whether a value does not fit the parameter, or another one of the tool; False where that is unclear."""
        root = None if self.tool.input_schema is None else standard(self.tool.input_schema)
        schema = self.tool.parameters[name or self.name].json_schema
        try:
            return not Validator(schema, root, name=name or self.name).is_valid(value)
        except BrokenSchemaError:
            return False

    def need(self, is_possible: bool) -> None:
        """Raise an `UnbreakableError` where something is not so."""
        if not is_possible:
            raise UnbreakableError

    def drawn(self, ways: Mapping[str, T]) -> tuple[str, T]:
        """Draw one of some ways by its name; with none the place is unbreakable."""
        self.need(bool(ways))
        return self.rng.choice(list(ways.items()))

    def wrong_name(self, name: str, exists: Callable[[str], bool]) -> tuple[str, str]:
        """
        Return a wrong name and its variant ("misspelt" or "invented", half each).

        Raises:
            UnbreakableError: no attempt gave a name that does not exist in the same place.
        """
        variant = self.rng.choice(("misspelt", "invented"))
        for _ in range(ATTEMPTS):
            wrong = misspelt(name, self.rng) if variant == "misspelt" else invented(self.rng)
            if wrong and wrong == wrong.strip() and wrong != name and not exists(wrong):
                return wrong, variant
        raise UnbreakableError

    def mutation(
        self, broken: Sequence, told: str, expected: Sequence | None = None, **more: Any
    ) -> Mutation:
        """Return the mutation that breaks the sequence so; by default the sequence is to come back."""
        wanted = self.sequence if expected is None else expected
        label = self.call.label or "no label"
        what = f"call {self.token.call + 1} ({label}, {self.call.name}): {told}"
        return Mutation(self.kind, broken, wanted, self.token, what, **more)


# What is broken. A kind of "harmless" leaves the sequence valid: it measures false alarms.
Family: TypeAlias = Literal["names", "references", "steps", "values", "harmless"]

Among: TypeAlias = Callable[[Sequence, Catalog, list[Read]], Iterable[Token]]
Breaking: TypeAlias = Callable[[Place], Mutation]


@dataclass(frozen=True, slots=True)
class Kind:
    """
    One kind of mutation.

    Attributes:
        name: its name.
        family: what is broken.
        about: what it does, for people.
        informed: when what is left tells how the sequence was. It speaks of the sequence and the catalog,
            never of what a repair does.
        among: lists the tokens of a sequence among which the places are.
        fits: whether a place may be broken so.
        breaking: breaks one, or raises an `UnbreakableError`.
    """

    name: str
    family: Family
    about: str
    informed: str
    among: Among
    fits: Callable[[Place], bool]
    breaking: Breaking

    def places(self, sequence: Sequence, catalog: Catalog) -> list[Token]:
        """Return the tokens that may be broken so, in the order of the text."""
        reads, rng = reads_of(sequence), random.Random(0)  # nothing is drawn to find them
        tokens = self.among(sequence, catalog, reads)
        places = (Place(sequence, catalog, each, reads, self.name, rng) for each in tokens)
        return [place.token for place in places if self.fits(place)]

    def breaks(
        self, sequence: Sequence, catalog: Catalog, token: Token, rng: random.Random
    ) -> Mutation | None:
        """Break a place; None where no wrong token is found for it."""
        place = Place(sequence, catalog, token, reads_of(sequence), self.name, rng)
        try:
            return self.breaking(place)
        except UnbreakableError:
            return None


# Every kind by its name, in the order in which they are declared.
KINDS: dict[str, Kind] = {}


def kind(
    family: Family, among: Among, fits: Callable[[Place], bool] = lambda _: True
) -> Callable[[Breaking], Breaking]:
    """Declare the kind of mutations that a function makes; its docstring says what, and when informed."""

    def declared(breaking: Breaking) -> Breaking:
        text = " ".join((breaking.__doc__ or "").split())
        about, _, informed = text.partition(" Informed: ")
        about = about[:1].lower() + about[1:].removesuffix(".")
        told, name = informed.removesuffix("."), breaking.__name__
        KINDS[name] = Kind(name, family, about, told, among, fits, breaking)
        return breaking

    return declared


def calls(sequence: Sequence, _: Catalog, __: list[Read]) -> Iterator[Token]:
    """Yield every call."""
    yield from map(Token, range(len(sequence.calls)))


def arguments(sequence: Sequence, catalog: Catalog, _: list[Read]) -> Iterator[Token]:
    """Yield the declared arguments of known tools."""
    for index, call in enumerate(sequence.calls):
        if call.name in catalog.by_name:
            declared = catalog.by_name[call.name].parameters
            yield from (Token(index, name) for name in call.arguments if name in declared)


def parameters(sequence: Sequence, catalog: Catalog, _: list[Read]) -> Iterator[Token]:
    """Yield the parameters of known tools, whether they are passed or not."""
    for index, call in enumerate(sequence.calls):
        if call.name in catalog.by_name:
            yield from (Token(index, name) for name in catalog.by_name[call.name].parameters)


def references(_: Sequence, __: Catalog, reads: list[Read]) -> Iterator[Token]:
    """Yield the references that read from an earlier call."""
    yield from (Token(r.call, r.parameter, r.slot) for r in reads if r.producer is not None)


def misspelt(word: str, rng: random.Random) -> str:
    """Apply 1 to 3 random edits of characters: insert, delete, replace or transpose."""
    letters = list(word)
    for _ in range(rng.randint(1, 3)):
        edit = rng.choice(("insert", "delete", "replace", "transpose"))
        place = rng.randrange(len(letters)) if letters else 0
        if edit == "insert" or not letters:
            letters.insert(place, rng.choice(string.ascii_lowercase))
        elif edit == "delete":
            del letters[place]
        elif edit == "replace":
            letters[place] = rng.choice(string.ascii_lowercase)
        elif len(letters) > 1:
            place = rng.randrange(len(letters) - 1)
            letters[place], letters[place + 1] = letters[place + 1], letters[place]
    return "".join(letters)


def invented(rng: random.Random) -> str:
    """Make up a pronounceable word of 2 to 4 syllables, such as `tomaru`."""
    return "".join(
        rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") + rng.choice(("", "", "", "n", "r", "s"))
        for _ in range(rng.randint(2, 4))
    )


def gives(tool: Tool | None, path: FieldPath) -> bool:
    """Whether the tool declares the field by name; indexes behind the last name are not judged."""
    plain = entered(path)
    while plain and isinstance(plain[-1], int):
        plain = plain[:-1]
    return tool is not None and tool.returns_path(path) and plain in tool.output_paths


def source_text(source: Source) -> str:
    """Print what an argument is bound to: values as JSON, or as Python where references stand in them."""
    match source:
        case Template():
            return "".join(map(str, source.parts))
        case Structure():
            return repr(source.value)
        case Constant():
            return json.dumps(source.value, ensure_ascii=False)
    return str(source)
