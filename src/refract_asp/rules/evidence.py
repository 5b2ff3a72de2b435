"""What was stated beyond the sequence itself, and what may be used for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, pairwise
from typing import TypeAlias

from clingo import Function, Symbol

from refract_asp.errors import shown
from refract_asp.model import Call, Constant, Mapping, Tool
from refract_asp.model.paths import FieldPath, parse_path
from refract_asp.model.schemas import type_of
from refract_asp.rules import likeness
from refract_asp.rules.index import Bounds, CatalogIndex
from refract_asp.rules.instance import Instance, Place
from refract_asp.rules.likeness import FAR, Fit, fold, is_kin, is_one_letter, leaf, words
from refract_asp.rules.program import Lexicon, Program
from refract_asp.rules.schemas.recasting import Recast
from refract_asp.rules.symbols import Facts, fact

DESTRUCTIVE, CONTRARY = Function("destructive"), Function("contrary")
# Mappings by what they fill, so that the cost of a repair does not grow with their number.
ByTarget: TypeAlias = dict[str, tuple[Mapping, ...]]


def by_target(mappings: Iterable[Mapping]) -> ByTarget:
    """Return mappings by what they fill, each once."""
    found: dict[str, dict[Mapping, None]] = {}
    for mapping in mappings:
        found.setdefault(mapping.target, {})[mapping] = None
    return {target: tuple(same) for target, same in found.items()}


@dataclass(frozen=True, slots=True)
class Allowed:
    """Which tools a repair may use for added and renamed calls; None stands for no restriction."""

    only: frozenset[str] | None = None
    without: frozenset[str] = frozenset()
    depth: int = 2

    def __contains__(self, tool: str) -> bool:
        """Whether the tool may be used."""
        return tool not in self.without and (self.only is None or tool in self.only)


@dataclass(frozen=True, slots=True)
class Options:
    """
    What of the encodings tells which evidence cannot matter: whether tools go by spelling, and when; whether
    rules of the user's may ask about any argument and parameter;
    whether a call may be added for a field of a common name, and an ask be named after a field; how near a
    path has to be, from which distance on names have nothing in common, and how many values are offered for
    idleness alone; what they say of words in names, and the program that says which names speak for which.
    """

    by_fit: bool = False
    every: bool = False
    common_names: bool = False
    asks_for_field: bool = False
    slip_distance: int = 100
    clear_distance: int = 100
    clear_margin: int = 100
    alike_distance: int = 100
    near_path: int = 100
    near_memory: int = 100
    near_named: int = 100
    named_margin: int = 100
    unsure_mapping: int = 100
    deeper: int = 100
    no_likeness: int = 100
    weak_offers: int = 1_000_000
    lexicon: Lexicon = field(default_factory=dict)
    names: Program | None = None


@dataclass
class Evidence(Facts):
    """
    The facts for a repair beyond the sequence itself, and what was found out on the way to them.

    Attributes:
        instance: what is asked.
        allowed: which tools may be used.
        mappings: which outputs may fill which parameters.
        options: what of the encodings tells which evidence cannot matter.
        said: what was stated besides of names.
        constants: the constants that an added call may use, by number.
        candidates: the tools that a call of an unknown tool may get.
        offered: those of them that are offered for the arguments of the call.
        forms: the forms into which the value of an argument may be brought, by call, argument and number.
        targets: where else an argument may go, by call and argument: a tool and its parameter.
        lost: the references to each lost label, or to what memory does not hold.
        suppliers: the tools that a call may have which a lost label demands.
        unlike: how many outputs of a tool have nothing in common with a parameter of another, where any do.
        near: what was stated to be near a path, by that path.
        open_places: the references that may come to read elsewhere; whether what they read is there.
        unbound: the references of which the label is borne, and that cannot stay as they are.
        looks: how many places look for a value among the calls before them.
        seeking: the calls before which a value for a parameter of a tool is looked for, each with how deep
            in a chain of added calls that is.
        gaps: before which call the number of a label is missing, by label.
    """

    instance: Instance
    allowed: Allowed
    mappings: ByTarget
    options: Options
    said: dict[Symbol, None] = field(default_factory=dict)
    constants: list[Constant] = field(default_factory=list)
    candidates: dict[int, tuple[str, ...]] = field(default_factory=dict)
    offered: dict[int, Sequence[str]] = field(default_factory=dict)
    forms: dict[tuple[int, str, int], Recast] = field(default_factory=dict)
    targets: dict[tuple[int, str], set[tuple[str, str]]] = field(default_factory=dict)
    lost: dict[str, list[Place]] = field(default_factory=dict)
    suppliers: dict[str, None] = field(default_factory=dict)
    unlike: dict[tuple[str, str, str], int] = field(default_factory=dict)
    near: dict[str, dict[tuple[Symbol | str, str], None]] = field(default_factory=dict)
    open_places: dict[Place, bool] = field(default_factory=dict)
    unbound: set[Place] = field(default_factory=set)
    looks: int = 0
    seeking: dict[tuple[str, str], dict[int, int]] = field(default_factory=dict)
    gaps: dict[str, int] = field(default_factory=dict)
    _distances: dict[tuple[Symbol | str | int, ...], int] = field(default_factory=dict)
    _stated: set[object] = field(default_factory=set)

    @property
    def index(self) -> CatalogIndex:
        """The index of the catalog, which knows how much is looked at."""
        return self.instance.index

    @property
    def bounds(self) -> Bounds:
        """How much is looked at."""
        return self.instance.index.bounds

    @property
    def needs_likeness(self) -> bool:
        """Whether what has nothing in common is left out where a likeness is asked for."""
        return self.options.no_likeness <= FAR and self.options.near_path < FAR

    def is_new(self, *key: object) -> bool:
        """Whether this is asked for the first time; what was stated once need not be found again."""
        count = len(self._stated)
        self._stated.add(key)
        return len(self._stated) > count

    def is_known(self, *key: object) -> bool:
        """Whether it was asked for before."""
        return key in self._stated

    # -- facts -----------------------------------------------------------------

    def state_distance(self, name: str, *ends: Symbol | str | int, distance: int) -> None:
        """State how far two things are apart; of several distances the least, or each would be paid for."""
        known = self._distances.get((name, *ends))
        if known is None or distance < known:
            if known is not None:
                del self.facts[fact(name, *ends, known)]
            self._distances[name, *ends] = distance
            self.add(name, *ends, distance)

    def state_near(
        self, written: str, known: FieldPath | None, giver: Symbol | str, path: str, distance: int
    ) -> None:
        """State how far a path as it is written is from one that there is; a variable has none."""
        self.state_distance("in_path_distance", written, giver, path, distance=distance)
        self.near.setdefault(written, {})[giver, path] = None
        if written != path:
            one, other = leaf(written), leaf(path)
            self.state_kin(written, path, is_kin(one, other))
            for whole in (written, path):
                self.state_words(whole, leaf(whole))
            self._state_left(written, path)
            if likeness.is_expression(written):
                self.say("in_expression", written)
            if is_one_letter(one, other):
                self.say("in_one_letter", written, path)
            if path.startswith(f"{written}["):
                self.say("in_first_of", written, path)
            tool = self.index.get(giver) if isinstance(giver, str) else None
            printed = tool.output_paths if tool is not None else ()
            there = parse_path(path)
            steps = tuple(map(str, there))
            is_only = bool(printed) and all(steps[: len(p)] == tuple(map(str, p)) for p in printed)
            objects = {step for step, inner in pairwise(there) if isinstance(inner, str)}
            if known is not None and any(isinstance(o, str) and o not in known for o in objects):
                self.say("in_inside", written, path)
            if is_only or not one or any(fold(step) == fold(one) for step in steps):
                self.say("in_within", giver, written, path)

    def say(self, name: str, *arguments: Symbol | str | int) -> None:
        """State a fact for the rules in `names/` alone, which make doubts of it."""
        self.said[fact(name, *arguments)] = None

    def say_meaning(self, word: str) -> None:
        """State what is known of a word."""
        self.said |= dict.fromkeys(self.options.lexicon.get(word, ()))

    def state_words(self, name: str, part: str = "") -> None:
        """State which words a name has, or the part of it that counts, and what is known of them."""
        if self.is_new("words", name):
            for token, word in zip(likeness.tokens(part or name), words(part or name), strict=True):
                self.say("in_word", name, word)
                self.say_meaning(word)
                if token != word:
                    self.say("in_several", name, word)

    def state_meant(self, name: str, other: str) -> None:
        """State that one name may have been meant for another one, and what both say."""
        if self.is_new("meant", name, other):
            self.state_words(name)
            self.state_words(other)
            self.state_kin(name, other, is_kin(name, other))
            self._state_left(name, other)
            said, meant = words(name), words(other)
            if sorted(said) == sorted(meant) and said[-1:] != meant[-1:]:
                self.say("in_last", name, other, said[-1], meant[-1])
            if likeness.is_told_apart(name, other) or likeness.begins_otherwise(name, other):
                self.say("in_told_apart", name, other)

    def _state_left(self, name: str, other: str) -> None:
        """State which words of either of two names have no counterpart in the other one."""
        for one, two in ((name, other), (other, name)):
            for word in likeness.left_words(one, two):
                self.say("in_left_word", one, two, word)
                self.say_meaning(word)

    def state_kin(self, name: str, other: str, is_alike: bool) -> None:
        """State that one name may have been meant for another one, and whether it looks like it."""
        self.say("in_meant", name, other)
        if is_alike:
            self.say("in_kin", name, other)

    def state_foreign(self, call: int, given: Call, tool: Tool) -> None:
        """
        State which words of the name of a call are in neither the name nor a parameter of a tool.

        And which words of the tool are in neither that name nor an argument, and what one of two words has
        before the other.
        """
        lexicon = self.options.lexicon
        written, its = words(given.name), self.index.own_words(tool.name, lexicon)
        for said, these, others, beside in (
            ("in_foreign", written, words(tool.name), tool.parameters),
            ("in_unsaid", its, written, given.arguments),
        ):
            known = {*others}.union(*map(words, beside))
            for word in these:
                long = [each for each in others if max(len(word), len(each)) > 3]
                near = [each for each in long if is_one_letter(word, each)]
                slips = [word] if these is written else near
                if word not in known and (not near or not lexicon.keys().isdisjoint(slips)):
                    self.say(said, call, tool.name, word)
                begun = (likeness.beginnings(word, each) for each in others if word not in others)
                for beginning in set().union(*begun):
                    self.say("in_longer", call, tool.name, beginning)
                    self.say_meaning(beginning)
                if these is written and not near and word not in {*lexicon, *known}:
                    # the only known word that it is a slip of the pen for
                    meant = [each for each in lexicon if likeness.is_lost_letter(word, each)]
                    if len(meant) == 1:
                        self.say("in_misspelt", call, tool.name, meant[0])
                        self.say_meaning(meant[0])

    def state_doubts(self) -> None:
        """Ask the rules in `names/` which names speak for what a repair may choose, and state their doubts."""
        names = self.options.names
        if names is None:
            return
        known = [each for each in (*self.instance.facts, *self.facts) if each.name in names.asks]
        if self.said or any(symbol.arguments[-1] == DESTRUCTIVE for symbol in known):
            for symbol in names.answers([*known, *self.said]):
                self.add(symbol.name, *symbol.arguments)

    # -- tools -----------------------------------------------------------------

    def tool(self, name: str) -> Tool:
        """Return a tool and state what it is."""
        if self.is_new(name):
            self.join(self.index.tool_facts(name))
            if self.index.tools[name].effect == "unknown":
                self.state_words(name)
            for word in self.index.words(name) if self.instance.is_plan else ():
                self.add("in_word", name, word)
        return self.index.tools[name]

    def may_add(self, tool: str) -> bool:
        """Whether a call of the tool may be added; not if its arguments have to go together."""
        return tool in self.allowed and self.index.rules_of(tool) is None

    def possible_tools(self, number: int) -> tuple[str, ...]:
        """Return the tool of a call, or those that it may get when its own is unknown."""
        tool = self.instance.tool(number)
        return (tool.name,) if tool is not None else self.candidates.get(number, ())

    def earlier_tools(self, number: int, reach: int | None = None) -> list[str]:
        """Return the tools of the calls before a call, within reach, in order of their first use."""
        if reach is None or number - reach <= -len(self.instance.history):
            return [name for name, first in self._first_uses.items() if first < number]
        near = range(number - reach, min(number, self.instance.end))
        return list(dict.fromkeys(name for other in near for name in self.possible_tools(other)))

    @cached_property
    def _first_uses(self) -> dict[str, int]:
        """The first call that has a tool, or may get it, by tool."""
        first: dict[str, int] = {}
        for number in self.instance.earlier(self.instance.end):
            for name in self.possible_tools(number):
                first.setdefault(name, number)
        return first

    def suggestions(self, call: int) -> tuple[str, ...]:
        """Return up to three tools that a call of none may mean, but for those that do the contrary."""
        if self.instance.tool(call) is not None:
            return ()
        found = self.index.suggestions(*self.instance.asked_of(call), most=10)
        doubts = {name: fact("in_tool_doubt", call, name, CONTRARY) for name in found}
        return tuple(name for name in found if doubts[name] not in self.facts)[:3]

    # -- outputs ---------------------------------------------------------------

    def best_fits(self, name: str, tool: str, parameter: str) -> tuple[Fit, ...]:
        """
        Return the paths of a tool that fit a parameter best, and not those of another type.

        A worse one is read only where each better one goes elsewhere in the same call; tell if it may be.
        """
        most, index = self.bounds.paths, self.index
        ends = (tool, parameter)
        fits = (f for f in index.fits(name, *ends) if not index.clashes(name, f[0], *ends))
        found = tuple(islice(fits, most + 1))
        if len(found) > most and found[most][2] < FAR and len(index.tools[tool].parameters) > most:
            self.cut(f"fields of {shown(name)} that are like {shown(parameter)}")
        return found[:most]

    def look_at(self, name: str) -> None:
        """Report it if a tool has more fields than are looked at."""
        if len(self.index.tools[name].output_paths) > self.bounds.fields:
            self.cut(f"fields of {shown(name)} beyond {self.bounds.fields}")

    def open(self, place: Place, *, is_there: bool = False) -> None:
        """Note that a reference may come to read elsewhere, and whether what it reads is there."""
        self.looks += 1
        self.open_places[place] = is_there and self.open_places.get(place, True)

    def mappings_to(self, tool: str, parameter: str) -> tuple[Mapping, ...]:
        """Return the mappings that fill a parameter, those of any tool first."""
        return (*self.mappings.get(parameter, ()), *self.mappings.get(f"{tool}.{parameter}", ()))

    @cached_property
    def fed(self) -> dict[str, dict[tuple[str, FieldPath], None]]:
        """What the sequence feeds to parameters: tools that are read, and paths, by the parameter's name."""
        found: dict[str, dict[tuple[str, FieldPath], None]] = {}
        for (call, parameter, slot), producer in self.instance.producers.items():
            path = self.instance.references[call, parameter, slot].path
            for name in self.possible_tools(producer) if slot == 0 else ():
                if self.index.tools[name].returns_path(path):
                    found.setdefault(parameter, {})[name, path] = None
        return found

    @cached_property
    def memory_values(self) -> Sequence[tuple[str, FieldPath, str]]:
        """What memory holds: label, path and JSON type of each value, shallow ones first, bounded."""
        is_whole = self.instance.level != "cheapest"  # else modes/fewer_calls.lp sees to it
        borne = {call.label for call in self.instance.sequence.calls if is_whole}
        most = self.bounds.memory_values
        found: list[tuple[str, FieldPath, str]] = []
        for label, value in self.instance.memory.values.items():
            if label in borne:  # what is printed would read from the call
                continue
            left: deque[tuple[FieldPath, object]] = deque([((), value)])
            while left and len(found) <= most:
                path, inner = left.popleft()
                if not isinstance(inner, dict | list):
                    found.append((label, path, json_type(inner)))
                elif inner and len(path) == self.bounds.memory_depth:
                    self.cut("values that memory holds")
                else:  # of a list its first element
                    steps = inner.items() if isinstance(inner, dict) else enumerate(inner[:1])
                    left.extend(((*path, step), each) for step, each in steps)
        return self.first(found, most, "values that memory holds")


def json_type(value: object) -> str:
    """
    Return the JSON type of a value; what is written with a fraction is no whole number.

    Example:
        >>> json_type(True), json_type(1), json_type(1.0), json_type([])
        ('boolean', 'integer', 'number', 'array')
    """
    return "number" if isinstance(value, float) else type_of(value)
