"""A sequence that was broken on purpose, the place where, and what a repair should make of it."""

from __future__ import annotations

import json
import string
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass
from itertools import accumulate, chain
from random import Random
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from refract_asp.errors import InputError, meant, shown
from refract_asp.model import Ask, Call, Catalog, Constant, Parameter, Sequence, Source, Tool
from refract_asp.model.conventions import standard
from refract_asp.model.paths import FieldPath, entered, present
from refract_asp.model.schemas import schema_types
from refract_asp.model.sequence import Structure, Template
from refract_asp.model.stages import Read
from refract_asp.model.stages import reads_of as all_reads_of
from refract_asp.rules.schemas.validation import BrokenSchemaError, Validator

ATTEMPTS = 100

T = TypeVar("T")


# The repair that is expected; None for the sequence as it was.
Wanted: TypeAlias = Sequence | None


class UnbreakableError(Exception):
    """There is no way to break a place by a kind."""


class Token(NamedTuple):
    """A place in a sequence: a call, an argument of it, a reference inside that (1, 2, ...; 0 is none)."""

    call: int
    parameter: str | None = None
    slot: int = 0


class Open(NamedTuple):
    """
    Arguments of an expected call that cannot be known any more.

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
        informed: whether the sequence can be restored from what is left; each kind states its rule. A mix is
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
    """Return every label that a call has or a reference names."""
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
    left = present({**call.arguments, token.parameter or "": source})
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
    rng: Random

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
    def types(self) -> frozenset[str]:
        """The JSON types that the parameter takes."""
        return schema_types(self.parameter.json_schema, self.tool.input_schema)

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
        """Whether the call has a label that no other one has."""
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
        """Raise an `UnbreakableError` unless a condition holds."""
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

    def mutation(self, broken: Sequence, told: str, wanted: Wanted = None, **more: Any) -> Mutation:
        """Return the mutation that breaks the sequence so; by default the sequence is to come back."""
        wanted = self.sequence if wanted is None else wanted
        what = f"call {self.token.call + 1} ({self.call.label or 'no label'}, {self.call.name}): {told}"
        return Mutation(self.kind, broken, wanted, self.token, what, **more)


# What is broken. A kind of "harmless" leaves the sequence valid: it measures false alarms.
Family: TypeAlias = Literal["names", "references", "steps", "values", "harmless"]

# What is broken: any call, a declared argument that is passed, a declared parameter whether it is passed or
# not, or a reference that reads from an earlier call; of a call whose tool is known, but for the first and last.
Among: TypeAlias = Literal["calls", "arguments", "parameters", "references"]
Fits: TypeAlias = Callable[[Place], bool]
Breaking: TypeAlias = Callable[[Place], Mutation]


@dataclass(frozen=True, slots=True)
class Kind:
    """
    One kind of mutation.

    Attributes:
        name: its name.
        family: what is broken.
        about: what it does, for people.
        informed: when the sequence can be restored from what is left. It depends on the sequence and the catalog,
            never of what a repair does.
        among: of which sort the places are.
        fits: whether a place may be broken so.
        breaking: breaks one, or raises an `UnbreakableError`.
    """

    name: str
    family: Family
    about: str
    informed: str
    among: Among
    fits: Fits
    breaking: Breaking

    def places(self, sequence: Sequence, catalog: Catalog) -> list[Token]:
        """Return the tokens that may be broken so, in the order of the text."""
        reads, rng = reads_of(sequence), Random(0)  # nothing is drawn to find them
        tokens = [Token(r.call, r.parameter, r.slot) for r in reads if r.producer is not None]
        if self.among == "calls":
            tokens = [*map(Token, range(len(sequence.calls)))]
        elif self.among != "references":
            tokens = []
            for index, call in enumerate(sequence.calls):
                tool = catalog.by_name.get(call.name)
                declared = {} if tool is None else tool.parameters
                passed = [name for name in call.arguments if name in declared]
                names = passed if self.among == "arguments" else declared
                tokens += [Token(index, name) for name in names]
        places = (Place(sequence, catalog, each, reads, self.name, rng) for each in tokens)
        return [place.token for place in places if self.fits(place)]

    def breaks(self, of: Sequence, catalog: Catalog, at: Token, rng: Random) -> Mutation | None:
        """Break a place of a sequence; None where no wrong token is found for it."""
        try:
            return self.breaking(Place(of, catalog, at, reads_of(of), self.name, rng))
        except UnbreakableError:
            return None


# Every kind by its name, in the order in which they are declared.
KINDS: dict[str, Kind] = {}


def kind(family: Family, among: Among, fits: Fits = bool) -> Callable[[Breaking], Breaking]:
    """Declare the kind of mutations that a function makes; its docstring says what, and when informed."""

    def declared(breaking: Breaking) -> Breaking:
        about, _, informed = " ".join((breaking.__doc__ or "").split()).partition(" Informed: ")
        about = about[:1].lower() + about[1:].removesuffix(".")
        told, name = informed.removesuffix("."), breaking.__name__
        KINDS[name] = Kind(name, family, about, told, among, fits, breaking)
        return breaking

    return declared


def misspelt(word: str, rng: Random) -> str:
    """Apply 1 to 3 random edits of characters: insert, delete, replace or transpose."""
    letters = list(word)
    for _ in range(rng.randint(1, 3)):
        edit = rng.choice(("insert", "delete", "replace", "transpose"))
        place = rng.randrange(len(letters)) if letters else 0
        if edit == "delete" and letters:
            del letters[place]
        elif edit != "transpose" or not letters:
            end = place + (edit == "replace")
            letters[place:end] = rng.choice(string.ascii_lowercase)
        elif len(letters) > 1:
            place = rng.randrange(len(letters) - 1)
            letters[place], letters[place + 1] = letters[place + 1], letters[place]
    return "".join(letters)


def invented(rng: Random) -> str:
    """Make up a pronounceable word of 2 to 4 syllables, such as `tomaru`."""
    sounds: tuple[SequenceOf[str], ...] = ("bdfgklmnprstvz", "aeiou", ("", "", "", "n", "r", "s"))
    return "".join(rng.choice(each) for _ in range(rng.randint(2, 4)) for each in sounds)


def gives(tool: Tool | None, path: FieldPath) -> bool:
    """Whether the tool declares the field by name; indexes behind the last name are not judged."""
    plain = entered(path)
    while plain and isinstance(plain[-1], int):
        plain = plain[:-1]
    return tool is not None and tool.returns_path(path) and plain in tool.output_paths


def source_text(source: Source) -> str:
    """Print what an argument is bound to: values as JSON, or as Python where references stand in them."""
    if isinstance(source, Template):
        return "".join(map(str, source.parts))
    if isinstance(source, Constant):
        return json.dumps(source.value, ensure_ascii=False)
    return repr(source.value) if isinstance(source, Structure) else str(source)


# At most so many mutations are put into one sequence.
MAX_PARTS = 20
# So often a place is looked for, for each part.
TRIES = 60


def kind_of(name: str) -> Kind:
    """
    Return a kind by its name.

    Raises:
        InputError: no kind has the name; the message names those there are.
    """
    if name not in KINDS:
        hint = meant(name, KINDS, "There are", most=40)
        raise InputError(f"there is no kind of mutation {shown(name)!r}.", hint=hint)
    return KINDS[name]


def mutate(sequence: Sequence, catalog: Catalog, kind: str, seed: str | int = 0) -> Mutation | None:
    """
    Break a sequence at one place of a kind, chosen by seed.

    Args:
        sequence: a valid sequence.
        catalog: its tools.
        kind: one of `KINDS`.
        seed: the same one breaks the same sequence in the same way, whatever the hash seed.

    Returns:
        None when the sequence has no such place.

    Raises:
        InputError: no kind has the name.

    Example:
        >>> tool = {"name": "Search", "parameters": {"query": {"required": True}}}
        >>> catalog = Catalog.load({"tools": [tool]})
        >>> broken = mutate(Sequence.load('a = Search(query="Rome")'), catalog, "lost_constant")
        >>> str(broken.broken), str(broken.expected)
        ('a = Search()', 'ask(query)\\na = Search(query=query)')
    """
    rng = Random(f"{seed}:{kind}")
    found = kind_of(kind).places(sequence, catalog)
    rng.shuffle(found)
    made = (KINDS[kind].breaks(sequence, catalog, token, rng) for token in found)
    return next(filter(None, made), None)


# A token by sort and place: ("name", 1), ("label", 1), ("argument", (1, "query")), ("new label", "var9").
Mark: TypeAlias = tuple[str, object]


def mutate_many(
    sequence: Sequence,
    catalog: Catalog,
    kinds: Iterable[str] | None = None,
    count: int = 3,
    seed: str | int = 0,
) -> Mutation | None:
    """
    Break a sequence at several places that do not touch each other.

    Args:
        sequence: a valid sequence.
        catalog: its tools.
        kinds: which kinds are mixed, each as likely; by default all that break something.
        count: how many mutations, from 1 to 20.
        seed: the same one breaks the same sequence in the same way, whatever the hash seed.

    Returns:
        A mutation of kind "mix", its single mutations as `parts`; None when no so many places were found.

    Raises:
        InputError: no kind has a name, or the count is out of range.
    """
    if not 1 <= count <= MAX_PARTS:
        hint = f"1 to {MAX_PARTS} can be mixed."
        raise InputError(f"a mix of {count} mutations is not made.", hint=hint)
    wanted = map(kind_of, KINDS if kinds is None else kinds)
    chosen = [each for each in wanted if each.family != "harmless"]
    if not chosen:
        raise InputError("nothing is to be mixed.", hint="Name a kind that breaks something.")
    rng = Random(f"{seed}:mix:{count}")
    places = {each: each.places(sequence, catalog) for each in chosen}
    possible = [each for each, found in places.items() if found]
    parts: list[tuple[Mutation, set[Mark], set[Mark]]] = []
    for _ in range(TRIES * count if possible else 0):
        kind = rng.choice(possible)
        mutation = kind.breaks(sequence, catalog, rng.choice(places[kind]), rng)
        if mutation is None:
            continue
        touched = _touched(sequence, mutation)
        rests_on = _rests_on(sequence, mutation, touched)
        # Neither may touch what the other one touches or rests on.
        if not any(touched & (mine | other) or mine & rests_on for _, mine, other in parts):
            parts.append((mutation, touched, rests_on))
        if len(parts) == count:
            found = [each for each, _, _ in parts]
            found.sort(key=lambda each: (each.token.call, each.token.parameter or ""))
            return _mixed(sequence, found)
    return None


# -- whether two touch each other ------------------------------------------------


def _pairs(sequence: Sequence, mutation: Mutation) -> Iterator[tuple[int | None, Call]]:
    """Yield the calls of the broken sequence, each with which it was before."""
    return zip(mutation.origins or range(len(sequence.calls)), mutation.broken.calls, strict=True)


def _tokens(pairs: Iterable[tuple[int | None, Call]]) -> dict[Mark, object]:
    """Return what stands at the tokens of some calls, of which each has an index."""
    found: dict[Mark, object] = {}
    for index, call in pairs:
        if index is not None:
            found["name", index], found["label", index] = call.name, call.label
            for parameter, source in call.arguments.items():
                found["argument", (index, parameter)] = source
    return found


def _touched(sequence: Sequence, mutation: Mutation) -> set[Mark]:
    """Return the tokens that a mutation changes."""
    pairs = list(_pairs(sequence, mutation))
    left = [index for index, _ in pairs if index is not None]
    old, new = _tokens(enumerate(sequence.calls)), _tokens(pairs)
    marks = {mark for mark in old.keys() | new.keys() if old.get(mark, mark) != new.get(mark, mark)}
    # What an added call copies, or what is to be split into several, has to stay as it is.
    is_copied = len(left) < len(pairs) or len(mutation.expected.calls) != len(sequence.calls)
    if is_copied or left != sorted(left):
        whole = mutation.token.call
        marks |= _tokens([(whole, sequence.calls[whole])]).keys()
    labels = labels_of(mutation.broken) - labels_of(sequence)
    return marks | {("new label", label) for label in labels}


def _rests_on(sequence: Sequence, mutation: Mutation, touched: set[Mark]) -> set[Mark]:
    """Return the tokens from which the repair follows, besides those that are changed."""
    call, reads = mutation.token.call, reads_of(sequence)
    marks: set[Mark] = {("name", call)}
    for read in reads:
        where: Mark = ("argument", (read.call, read.parameter))
        if where in touched and read.producer is not None:  # what it reads has to be there
            marks |= {("name", read.producer), ("label", read.producer)}
            marks |= {("argument", (r.call, r.parameter)) for r in reads if is_same_use(r, read)}
        if {("label", read.producer), ("name", read.producer)} & touched:
            marks |= {("name", read.call), where}  # its readers show what it was
    if kind_of(mutation.kind).family == "names" or mutation.kind == "missing_reference":
        # They tell which name is free, or fits best.
        marks |= _tokens([(call, sequence.calls[call])]).keys() - {("label", call)}
    return marks


# -- putting together what each part changed --------------------------------------


def _mixed(sequence: Sequence, parts: SequenceOf[Mutation]) -> Mutation:
    expected = sequence
    spread: dict[int, tuple[Call, ...]] = {}
    for part in parts:
        index = part.token.call
        more = len(part.expected.calls) - len(sequence.calls)
        if more:
            spread[index] = part.expected.calls[index : index + 1 + more]
            continue
        given, wanted = sequence.calls[index].arguments, part.expected.calls[index].arguments
        for name in sorted(p for p in given.keys() | wanted if given.get(p) != wanted.get(p)):
            token, source = Token(index, name), wanted[name]
            if isinstance(source, Ask):
                expected = with_ask(expected, token)
            else:
                expected = with_argument(expected, token, source)
    whole = [spread.get(index, (call,)) for index, call in enumerate(expected.calls)]
    start = list(accumulate(map(len, whole), initial=0))
    return Mutation(
        kind="mix",
        broken=_broken(sequence, parts),
        expected=expected.model_copy(update={"calls": tuple(chain.from_iterable(whole))}),
        token=parts[0].token,
        what="; ".join(part.what for part in parts),
        variant="+".join(part.kind for part in parts),
        informed=all(part.informed or part.asks for part in parts),
        open=tuple(Open(start[each.call], each.parameters) for part in parts for each in part.open),
        parts=tuple(parts),
    )


def _broken(sequence: Sequence, parts: SequenceOf[Mutation]) -> Sequence:
    """Return the sequence with all that the parts change, take away, move and add."""
    calls = list(sequence.calls)
    order: list[int | Call] = [*range(len(calls))]  # a call that was added stands itself
    for part in parts:
        for index, call in _pairs(sequence, part):
            if index is not None:
                calls[index] = _merged(sequence.calls[index], call, calls[index])
        origins = range(len(calls)) if part.origins is None else part.origins
        left = [index for index in origins if index is not None]
        order = [each for each in order if isinstance(each, Call) or each in left]
        moved = part.token.call
        if left != sorted(left):
            order.remove(moved)
            order.insert(order.index(left[left.index(moved) + 1]), moved)
        for place, index in enumerate(origins):
            if index is None:
                after = next(each for each in origins[place:] if each is not None)
                order.insert(order.index(after), part.broken.calls[place])
    broken = tuple(each if isinstance(each, Call) else calls[each] for each in order)
    return sequence.model_copy(update={"calls": broken})


def _merged(given: Call, changed: Call, merged: Call) -> Call:
    """Return a call with the changes from one call to another made in it, those of arguments at their places."""
    old, now = given.arguments, changed.arguments
    lost = [p for p in old if p not in now]
    new = [p for p in now if p not in old]
    names = dict(zip(lost, new, strict=True)) if len(lost) == len(new) else {}
    found = {}
    for name, source in merged.arguments.items():
        other = names.get(name, name)
        if other in now and now[other] != old.get(other):
            found[other] = now[other]
        elif name not in lost:
            found[name] = source
    update: dict[str, object] = {"arguments": found | {p: now[p] for p in new if p not in found}}
    update |= {"name": changed.name} if changed.name != given.name else {}
    update |= {"label": changed.label} if changed.label != given.label else {}
    return merged.model_copy(update=update)
