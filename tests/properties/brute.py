"""
The cheapest repair of a tiny sequence, found by trying everything, in plain Python.

It knows nothing of the encodings: a repair is a choice of tool for each call whose tool does not exist, of
what happens to each argument, of what each lost label stands for, of where each wrong reference and each
missing parameter reads from, and of the calls that move. Each complete choice is judged by `_is_admissible`,
and paid for by the kinds of penalty that the documents name. What the fragment leaves out, `Tiny` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, pairwise, product
from typing import Any, TypeAlias

NAMES = ["planet", "guitar", "fjord", "weight", "zebra", "colour"]
"""Names of parameters and fields; no two have anything in common, so likeness is equality here."""
TOOLS = ["Alpha", "Bravo", "Charly"]


@dataclass(frozen=True)
class Tool:
    """A tool; `returns` is None when nothing is said of its output, `defaults` are required parameters."""

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    defaults: frozenset[str] = frozenset()
    returns: tuple[str, ...] | None = ()
    effect: str = "read"

    @property
    def declared(self) -> tuple[str, ...]:
        return (*self.required, *self.optional)

    def gives(self, name: str) -> bool:
        return self.returns is None or name in self.returns


@dataclass(frozen=True)
class Ref:
    """A reference to one field of what a label bears."""

    label: str
    name: str


@dataclass(frozen=True)
class Arg:
    """An argument: a constant, one reference as a whole, or references inside a text."""

    constant: int | None = None
    refs: tuple[Ref, ...] = ()
    whole: bool = True

    @property
    def value(self) -> Any:
        if not self.refs:
            return self.constant
        if self.whole:
            return f"${self.refs[0].label}.{self.refs[0].name}$"
        return "of " + " and ".join(f"${ref.label}.{ref.name}$" for ref in self.refs)


@dataclass(frozen=True)
class Call:
    tool: str
    label: str | None = None
    args: tuple[tuple[str, Arg], ...] = ()


@dataclass(frozen=True)
class Tiny:
    """
    A tiny sequence with its catalog.

    The fragment: labels are unique, paths are single fields, names are equal or have nothing in common,
    every constant is another one, there are no types (so every value fits), no descriptions, no memory, no
    history and no returns;
    no call is added on its own account. A new source stands before its reader in the given order.
    """

    tools: dict[str, Tool] = field(hash=False)
    calls: tuple[Call, ...] = ()

    @property
    def catalog(self) -> dict[str, Any]:
        """The catalog as data."""
        entries = []
        for number, (name, tool) in enumerate(self.tools.items()):
            declared: dict[str, Any] = {p: {"required": p in tool.required} for p in tool.declared}
            for p in tool.defaults:
                declared[p]["default"] = 900 + number
            entry: dict[str, Any] = {"name": name, "effect": tool.effect, "parameters": declared}
            if tool.returns is not None:
                # an object without fields would be open: anything may be read from it
                nothing = {"schema": {"type": "null"}}
                entry["returns"] = {p: {"type": "string"} for p in tool.returns} or nothing
            entries.append(entry)
        return {"tools": entries}

    @property
    def sequence(self) -> list[dict[str, Any]]:
        """The calls as data."""
        passed = [{p: arg.value for p, arg in call.args} for call in self.calls]
        return [
            {"name": call.tool, "label": call.label, "arguments": arguments}
            for call, arguments in zip(self.calls, passed, strict=True)
        ]


Place: TypeAlias = tuple[int, str, int]
"""A reference: call, argument, and which one in it."""
Who: TypeAlias = "int | str"
"""A call: a given one by its number, an added one by the label that demands it."""
Paid: TypeAlias = frozenset[tuple[str, Any]]
"""What is paid for: kind and place, each once."""
NOTHING: Paid = frozenset()
Options: TypeAlias = "list[tuple[Any, Paid]]"
"""What may be chosen at one place, each with what is paid for it."""
Explained: TypeAlias = "dict[str, tuple[str, Any, Paid]]"
"""For each lost label what it stands for, and what is paid for it."""


def _paid(*kinds: tuple[str, Any]) -> Paid:
    return frozenset(kinds)


@dataclass
class _Choice:
    """A complete repair, or one in the making; None as tool stands for a call that is left or deleted."""

    tools: dict[Who, str | None] = field(default_factory=dict)
    deleted: set[int] = field(default_factory=set)
    args: dict[Who, list[str]] = field(default_factory=dict)
    reads: dict[tuple[Who, str, int], tuple[Who, str] | None] = field(default_factory=dict)


class Brute:
    """Tries every repair of one tiny sequence; `best` is what the cheapest costs."""

    def __init__(self, tiny: Tiny, weights: dict[str, int]) -> None:
        self.tiny = tiny
        self.weights = weights
        self.calls = tiny.calls
        self.given = [dict(call.args) for call in tiny.calls]
        self.producer: dict[Place, int | None] = {}
        self.refs: dict[Place, Ref] = {}
        self._resolve()
        self.read_as_given = {y for y in self.producer.values() if y is not None}
        self.unsure = [x for x, call in enumerate(self.calls) if call.tool not in tiny.tools]
        self.late = [p for p, y in self.producer.items() if y is not None and y >= p[0]]
        self.best = sum(weights.values()) * 1000

    # -- the given sequence ------------------------------------------------------

    def _resolve(self) -> None:
        """Bind each reference to the last call before it that has the label, else to a later one."""
        for x, arguments in enumerate(self.given):
            for p, arg in arguments.items():
                for n, ref in enumerate(arg.refs):
                    bearers = [y for y, call in enumerate(self.calls) if call.label == ref.label]
                    before = [y for y in bearers if y < x]
                    self.refs[x, p, n] = ref
                    nearest = [*before[-1:], *bearers, None]
                    self.producer[x, p, n] = nearest[0]

    def is_valid(self) -> bool:
        """Whether nothing has to change."""
        if self.unsure or self.late or None in self.producer.values():
            return False
        tools = [self.tiny.tools[call.tool] for call in self.calls]
        for tool, arguments in zip(tools, self.given, strict=True):
            if not set(tool.required) <= set(arguments) <= set(tool.declared):
                return False
        return not any(self._is_open(place) for place in self.producer)

    def candidates(self, x: int) -> list[str]:
        """Return the tools that take some of the arguments, or return something that is read."""
        if x not in self.unsure:
            return [self.calls[x].tool]
        read = {self.refs[place].name for place, y in self.producer.items() if y == x}
        found = []
        for name, tool in self.tiny.tools.items():
            takes = bool(set(self.given[x]) & set(tool.declared))
            returns = tool.returns is not None and bool(read & set(tool.returns))
            if takes or returns or (not self.given[x] and not tool.required):
                found.append(name)
        return found

    def _tool(self, choice: _Choice, who: Who) -> Tool:
        return self.tiny.tools[choice.tools[who] or ""]

    def _givers(self, y: int, name: str) -> list[bool]:
        """Return for each tool that a call may get whether it gives a field."""
        return [self.tiny.tools[t].gives(name) for t in self.candidates(y)]

    def _labelled(self, y: int) -> Paid:
        """Return what it takes that something can be read from a call."""
        return NOTHING if self.calls[y].label is not None else _paid(("add_label", y))

    def _is_open(self, place: Place) -> bool:
        """Whether a reference cannot stay as it is, whatever else changes."""
        y = self.producer[place]
        if y is None:
            return True
        name = self.refs[place].name
        return y not in self.unsure and not self.tiny.tools[self.calls[y].tool].gives(name)

    # -- the search --------------------------------------------------------------

    def run(self) -> int:
        """Return what the cheapest repair costs."""
        if self.is_valid():
            return 0
        for tools, paid in self._tools():
            if self._cost(paid) < self.best:
                self._with_tools(tools, paid)
        return self.best

    def _cost(self, paid: Paid) -> int:
        return sum(self.weights[kind] for kind, _ in paid)

    def _tools(self) -> Iterator[tuple[_Choice, Paid]]:
        options: list[list[tuple[str | None, bool, Paid]]] = []
        for x, call in enumerate(self.calls):
            if x not in self.unsure:
                options.append([(call.tool, False, NOTHING)])
                continue
            names = self.candidates(x)
            found = [(name, False, _paid(("rename_tool", x))) for name in names]
            found += [(None, False, _paid(("leave_unresolved", x)))]
            found += [(None, True, _paid(("delete_call", x)))]
            options.append(found)
        for chosen in product(*options):
            choice = _Choice()
            for x, (tool, deleted, _) in enumerate(chosen):
                choice.tools[x] = tool
                if deleted:
                    choice.deleted.add(x)
            yield choice, frozenset().union(*(paid for *_, paid in chosen))

    def _with_tools(self, choice: _Choice, paid: Paid) -> None:
        labels = sorted({self.refs[p].label for p, y in self.producer.items() if y is None})
        for explained in product(*(self._explanations(label, choice) for label in labels)):
            bearers = [how for kind, how, _ in explained if kind == "relabel"]
            if len(set(bearers)) < len(bearers):
                continue
            now = paid.union(*(each for *_, each in explained))
            if self._cost(now) < self.best:
                self._with_labels(choice, dict(zip(labels, explained, strict=True)), now)

    def _explanations(self, label: str, choice: _Choice) -> Iterator[tuple[str, Any, Paid]]:
        """Yield what a lost label may be: of each reference its own, of a given call, of a missing one."""
        places = [p for p, y in self.producer.items() if y is None and self.refs[p].label == label]
        first = min(p[0] for p in places)
        names = {self.refs[p].name for p in places}
        yield "apart", None, NOTHING
        for y in range(first):
            tool = choice.tools[y]
            if y in self.read_as_given or y in choice.deleted or tool is None:
                continue
            if all(self.tiny.tools[tool].gives(name) for name in names):
                kind = "add_label" if self.calls[y].label is None else "rename_label"
                yield "relabel", y, _paid((kind, y))
        for name, tool in self.tiny.tools.items():
            if tool.returns is not None and names <= set(tool.returns):
                yield "new", name, _paid(("add_call", label))

    def _with_labels(self, choice: _Choice, explained: Explained, paid: Paid) -> None:
        added = {label: how for label, (kind, how, _) in explained.items() if kind == "new"}
        choice = _Choice({**choice.tools, **added}, choice.deleted)
        steps: list[Options] = []
        for x, arguments in enumerate(self.given):
            if choice.tools[x] is not None:
                steps.extend(self._argument_options(x, p, choice) for p in arguments)
        for chosen in product(*steps):
            now = paid.union(*(each for _, each in chosen))
            if self._cost(now) < self.best:
                self._with_arguments(choice, explained, dict(a for a, _ in chosen), now)

    def _argument_options(self, x: int, p: str, choice: _Choice) -> Options:
        """Return what may happen to an argument: it stays, goes to another parameter, or goes."""
        tool = self._tool(choice, x)
        arg, place = self.given[x][p], (x, p)
        is_open = any(self._is_open((x, p, n)) for n in range(len(arg.refs)))
        if p in tool.declared:
            options: Options = [((place, p), NOTHING)]
            if is_open and p not in tool.required:
                options.append(((place, None), _paid(("drop_declared", place))))
            return options
        options = [((place, None), _paid(("drop_undeclared", place)))]
        free = [other for other in tool.declared if other not in self.given[x]]
        for other in free:
            told = arg.whole and bool(arg.refs) and not is_open and arg.refs[0].name == other
            if other in tool.required or told:
                options.append(((place, other), _paid(("rename_parameter", place))))
        return options

    def _with_arguments(self, choice: Any, explained: Explained, targets: Any, paid: Paid) -> None:
        steps: list[Options] = []
        args: dict[Who, list[str]] = {}
        for x in range(len(self.calls)):
            if choice.tools[x] is None:
                continue
            kept = [(p, targets[x, p]) for p in self.given[x] if targets[x, p] is not None]
            if len({target for _, target in kept}) < len(kept):
                return
            tool = self._tool(choice, x)
            missing = [p for p in tool.required if p not in [target for _, target in kept]]
            if any(p in self.given[x] for p in missing):
                return
            args[x] = [target for _, target in kept] + missing
            places = [(x, p, n) for p, _ in kept for n in range(len(self.given[x][p].refs))]
            steps += [self._reference_options(place, choice, explained) for place in places]
            steps += [self._fill_options(x, p, x, choice) for p in missing]
        for label, (kind, how, _) in explained.items():
            if kind == "new":
                lost = [p for p, y in self.producer.items() if y is None]
                first = min(p[0] for p in lost if self.refs[p].label == label)
                args[label] = list(self.tiny.tools[how].required)
                steps += [self._fill_options(label, p, first, choice) for p in args[label]]
        steps.sort(key=len)
        self._descend(steps, 0, paid, [], _Choice(choice.tools, choice.deleted, args))

    def _reference_options(self, place: Place, choice: _Choice, explained: Explained) -> Options:
        """Return where a given reference may read from."""
        x, p, _ = place
        y, ref = self.producer[place], self.refs[place]
        if y is None and explained[ref.label][0] != "apart":
            kind, how, _ = explained[ref.label]
            return [((place, (ref.label if kind == "new" else how, ref.name)), NOTHING)]
        stays: Options = [((place, (y, ref.name)), NOTHING)]
        is_open = self._is_open(place)
        is_doubted = y in self.unsure and not all(self._givers(y, ref.name))
        if not is_open and not (y is not None and (y >= x or is_doubted)):
            return stays
        options = [] if is_open else stays
        options.append(((place, None), _paid(("ask", place))))
        others = [z for z in range(x) if z != y]
        exact = any(any(self._givers(z, ref.name)) for z in others)
        for z in range(x):
            tool = self.tiny.tools.get(choice.tools[z] or "")
            if tool is None:
                continue
            for name in {*(tool.returns or ()), ref.name}:
                if not tool.gives(name):
                    continue
                changed = [] if z == y else ["repoint"]
                changed += [] if name == ref.name else ["repath"]
                if len(changed) == 1 or (len(changed) == 2 and not exact and name == p):
                    paid = self._labelled(z) | _paid(*((kind, place) for kind in changed))
                    options.append(((place, (z, name)), paid))
        return options

    def _fill_options(self, who: Who, p: str, before: int, choice: _Choice) -> Options:
        """Return where a missing parameter of a given or added call may get its value."""
        tool = self._tool(choice, who)
        place = (who, p, 0)
        added = not isinstance(who, int)
        fill = "fill_added" if added else "fill"
        options: Options = [((place, None), _paid(("ask_added" if added else "ask", place)))]
        if p in tool.defaults:
            options.append(((place, None), _paid((fill, place))))
        constants = [each[p].constant for each in self.given if p in each]
        if added and constants != [None] * len(constants):
            options.append(((place, None), _paid((fill, place), ("reuse_constant", place))))
        for y in range(before):
            source = self.tiny.tools.get(choice.tools[y] or "")
            if source is None:
                continue
            for name in source.returns or ():
                # what is merely idle is as dear as an ask, so it need not be tried
                if name == p or self._is_seen(choice, y, name, p):
                    paid = self._labelled(y) | _paid((fill, place))
                    options.append(((place, (y, name)), paid))
        return options

    def _is_seen(self, choice: _Choice, source: int, name: str, p: str) -> bool:
        """Whether the sequence feeds that field of the same tool to a parameter of this name anyway."""
        return any(
            other == p
            and self.given[x][other].whole
            and self.refs[x, other, n].name == name
            and y is not None
            and choice.tools[y] == choice.tools[source]
            and not self._is_open((x, other, n))
            for (x, other, n), y in self.producer.items()
        )

    def _descend(self, steps: Any, depth: int, paid: Paid, taken: Any, choice: _Choice) -> None:
        if self._cost(paid) >= self.best:
            return
        if depth == len(steps):
            choice.reads = dict(taken)
            self._with_moves(choice, paid)
            return
        for pick, more in sorted(steps[depth], key=lambda option: self._cost(option[1])):
            taken.append(pick)
            self._descend(steps, depth + 1, paid | more, taken, choice)
            taken.pop()

    def _with_moves(self, choice: _Choice, paid: Paid) -> None:
        movable = sorted({z for x, _, _ in self.late for z in range(x, self._end(x) + 1)})
        for count in range(len(movable) + 1):
            for moved in combinations(movable, count):
                cost = self._cost(paid.union(("move_call", x) for x in moved))
                if cost < self.best and self._is_admissible(choice, set(moved), set(movable)):
                    self.best = cost

    def _end(self, x: int) -> int:
        return max(self.producer[p] or 0 for p in self.late if p[0] == x)

    # -- the judge ---------------------------------------------------------------

    def _is_admissible(self, choice: _Choice, moved: set[int], movable: set[int]) -> bool:
        """Whether a complete choice keeps to the catalog and can be put in order."""
        for who, args in choice.args.items():
            tool = self._tool(choice, who)
            if not set(tool.required) <= set(args) <= set(tool.declared):
                return False
        edges: set[tuple[Who, Who]] = set()
        for (who, _, _), read in choice.reads.items():
            if read is None:
                continue
            source, name = read
            if source in choice.deleted:
                return False
            tool_name = choice.tools[source]
            if tool_name is not None and not self.tiny.tools[tool_name].gives(name):
                return False
            edges.add((source, who))
        still = [x for x in range(len(self.calls)) if x not in moved and x not in choice.deleted]
        edges |= set(pairwise(still))
        changing = [x for x in sorted(movable) if self._changes(choice.tools[x])]
        edges |= set(combinations(changing, 2))
        return not _has_cycle(edges)

    def _changes(self, tool: str | None) -> bool:
        return tool is not None and self.tiny.tools[tool].effect in ("write", "destructive")


def _has_cycle(edges: Iterable[tuple[Who, Who]]) -> bool:
    left = set(edges)
    while left:
        targets = {target for _, target in left}
        sources = {edge for edge in left if edge[0] not in targets}
        if not sources:
            return True
        left -= sources
    return False


def cheapest(tiny: Tiny, weights: dict[str, int]) -> int:
    """Return what the cheapest repair of a tiny sequence costs under these weights."""
    return Brute(tiny, weights).run()
