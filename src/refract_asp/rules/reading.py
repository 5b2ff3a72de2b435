"""
Reads encodings: parses each file once, and refuses what an encoding may not do.

Besides: what statements derive and ask, and which terms stand where.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from os.path import normpath
from pathlib import Path
from stat import S_ISREG
from typing import Any, TypeAlias, TypeVar

from clingo import MessageCode, SymbolType, parse_term
from clingo.ast import AST, ASTType, Location, Position, parse_files, parse_string

from refract_asp.errors import LONGEST_TEXT, ConstantError, EncodingError, near, shown
from refract_asp.resources import encodings_path

Maker = TypeVar("Maker", bound=Callable[..., Any])
# Name and arity.
Predicate: TypeAlias = tuple[str, int]

# The largest weight that a cost model may have.
MAX_WEIGHT = 1_000_000
# The largest number that clingo knows; a larger one wraps around without a word.
LARGEST = 2**31 - 1
# Bytes of a file that is read.
MAX_FILE = 1_000_000
# How deep terms may be nested; what is deeper overflows the stack of who walks it.
MAX_DEPTH = 100
RANGE = "It must be from 0 to 1,000,000: a penalty never rewards, and larger ones overflow."
TOO_DEEP = f"terms are nested too deep, more than {MAX_DEPTH} times."

# The files that name the files of a program. `check` loads the one of its name; `repair` loads its
# own, with goals or for fewer calls the one of those, which begins with it; either loads that of
# plans besides, for a plan.
ENTRIES = ("check.lp", "repair.lp", "goals.lp", "compress.lp", "plan.lp")

_REFUSED = {
    ASTType.Script: "a script",
    ASTType.External: "an #external",
    ASTType.TheoryAtom: "a theory atom",
    ASTType.TheoryDefinition: "a theory",
}
# What clingo calls a text without a file.
_TEXT = "<string>"
_LOCATION = re.compile(r"^(.*?):(\d+):(\d+)(?:-[\d:]+)?: (?:info|error|warning): (.*)$", re.S)
_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\\n]|\\["\\n])*")
      | (?P<block>%\*) | (?P<line>%[^\n]*) | (?P<directive>\#(?:script|include))
      | (?P<number>(?<![\w'])(?:0x[0-9a-fA-F]+|0o[0-7]+|0b[01]+|[0-9]{10,})(?!\w))
      | (?P<open>[(\[{]) | (?P<close>[)\]}]) | (?P<foreign>[^\t\n\r\x20-\x7e])""",
    re.X,
)
_INCLUDE = re.compile(r'#include "([^"\n]+)"\.')
# Comments of several lines may hold others, and comments of one line, as clingo reads them.
_IN_BLOCK = re.compile(r"(?P<close>\*%)|(?P<open>%\*)|%[^\n]*")


def short_name(path: Path | str) -> str:
    """Return the name of a shipped encoding without the folder of the installation."""
    folder = encodings_path()
    return str(Path(path).relative_to(folder)) if Path(path).is_relative_to(folder) else str(path)


def message_error(
    messages: list[tuple[MessageCode, str]], fallback: str, nodes: Iterable[AST] = ()
) -> EncodingError:
    """Turn what clingo remarked into an error of our own, with file and line; `nodes` are the whole program."""
    told = messages[0][1] if messages else fallback
    match = _LOCATION.match(told.strip()) if messages else None
    if match is None:
        return EncodingError(shown(told, LONGEST_TEXT) or "grounding failed.")
    said = " ".join(match[4].split()).replace("[#inc_base];", "").replace(":-[#inc_base]", "")
    what, place = shown(said, LONGEST_TEXT), short_name(match[1])
    hint = "encodings/README.md lists the predicates; inputs are declared in defined.lp."
    if "does not occur in any rule head" in what:
        begin = Position(match[1], int(match[2]), int(match[3]))
        atoms = (atom for node in nodes for atom in asked(node) if _begin(atom) == begin)
        for name, arity in predicates(atoms):
            what = f"nothing derives {name}/{arity}, and it is no input"
            every = list(nodes)
            known = {f"{each}/{size}" for each, size in made(*every) | declared(*every)}
            hint = f"{near(f'{name}/{arity}', known)} {hint}".lstrip()
    if "syntax error" in what:
        hint = "Look at the line before, too: each statement ends with a full stop."
    if "unsafe" in what:
        hint = "Let each variable stand in an atom of the body that is not negated."
    return EncodingError(f"{what}.", where=f"{place}:{match[2]}", hint=hint)


def stamp_of(path: Path) -> tuple[int, int] | None:
    """Return when a file was changed, and its size; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size) if S_ISREG(status.st_mode) else None


def until_changed(stamp: Callable[[Any], object], most: int) -> Callable[[Maker], Maker]:
    """Keep what a function makes of its argument while the stamp of that stays the same, `most` results of it."""

    def keep(make: Any) -> Any:
        kept = lru_cache(most)(lambda _stamp, given: make(given))
        return wraps(make)(lambda given: kept(stamp(given), given))

    return keep


def _text(path: Path) -> str:
    """Return the text of a file, with plain ends of lines."""
    try:
        if not S_ISREG(path.stat().st_mode):  # a pipe would be waited for
            hint = "Write the rules to a file."
            raise EncodingError("this is no regular file.", where=str(path), hint=hint)
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
        if len(data) > MAX_FILE:
            raise EncodingError("the file is larger than 1 MB.", where=str(path))
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise EncodingError("the file is not UTF-8 text.", where=str(path)) from None
    except OSError as error:
        what = f"the file cannot be read ({error.strerror or 'unknown reason'})."
        raise EncodingError(what, where=str(path)) from None


def included(folder: Path, entry: str) -> list[str]:
    """
    Return the files that an entry file of a set names, in their order; what it includes may be an entry itself.

    Raises:
        EncodingError: a line is no `#include`, or names no file of the set.
    """
    found: dict[str, None] = {}
    pending, seen = [entry], set[str]()
    while pending:
        name = pending.pop(0)
        seen.add(name)
        for number, line in enumerate(_text(folder / name).splitlines(), 1):
            code = line.partition("%")[0].strip()
            match = _INCLUDE.fullmatch(code)
            place = f"{short_name(folder / name)}:{number}"
            if match is None and code:
                what = f"an entry file names files, and holds no rules: {shown(code, 60)}"
                hint = 'Write the rules into a file of their own, and here #include "FILE.lp".'
                raise EncodingError(what, where=place, hint=hint)
            if match is None:
                continue
            other = normpath(match[1])
            if Path(other).is_absolute() or other.startswith(".."):
                what = f"{shown(match[1], 80)} does not stand in this folder of encodings."
                raise EncodingError(what, where=place, hint="Copy the file into the folder.")
            if not (folder / other).is_file():
                what = f"there is no file {shown(other, 80)} in this folder of encodings."
                raise EncodingError(what, where=place, hint="Take the line away, or add the file.")
            if other not in ENTRIES:
                found[other] = None
            elif other not in seen:
                pending.append(other)
    return list(found)


@until_changed(stamp_of, 256)
def load(path: Path) -> tuple[list[AST], dict[str, int]]:
    """
    Return the statements and constants of a file, and refuse what an encoding may not do.

    Raises:
        EncodingError: the file does not parse, or holds a script, an #include or the like.
    """
    text, name = _text(path), short_name(path)
    _refuse_text(text, name)
    nodes: list[AST] = []
    messages: list[tuple[MessageCode, str]] = []
    try:
        if path.is_relative_to(encodings_path()):
            parse_files([str(path)], nodes.append, logger=lambda *each: messages.append(each))
        else:  # parsed is what was looked at, and nothing that took its place since
            parse_string(text, nodes.append, logger=lambda *each: messages.append(each))
            for node in nodes:  # all of its parts name the file
                for each, depth in _with_depth(node):
                    if depth > 2 * MAX_DEPTH:
                        place = f"{name}:{node.location.begin.line}"
                        raise EncodingError(TOO_DEEP, where=place)
                    if "location" in each.keys():  # noqa: SIM118
                        ends = each.location.begin, each.location.end
                        if ends[0].filename != _TEXT:
                            raise EncodingError("only this file may be read.", where=name)
                        begin, end = (Position(str(path), at.line, at.column) for at in ends)
                        each.location = Location(begin, end)
    except RuntimeError as error:
        here = [(code, message.replace(_TEXT, str(path), 1)) for code, message in messages]
        raise message_error(here, str(error)) from None
    except RecursionError:
        raise EncodingError(TOO_DEEP, where=name) from None
    constants = _definitions(nodes)
    return [node for node in nodes if node.ast_type is not ASTType.Comment], constants


def _definitions(nodes: Iterable[AST]) -> dict[str, int]:
    """Return the constants that statements define, and refuse statements that an encoding may not have."""
    constants: dict[str, int] = {}
    for node in nodes:
        if node.ast_type in _REFUSED:
            what = f"{_REFUSED[node.ast_type]} is not allowed in an encoding."
            raise EncodingError(what, where=where(node))
        if node.ast_type is ASTType.Program and (node.name != "base" or node.parameters):
            raise EncodingError("only the program part `base` is used.", where=where(node))
        if node.ast_type is ASTType.Minimize:
            text, kind = str(node.weight), node.weight.ast_type
            # a number beyond 32 bits has wrapped around
            is_out = text.lstrip("-").isdigit() and not 0 <= int(text) <= MAX_WEIGHT
            reckoned = kind is ASTType.BinaryOperation and not re.search("[A-Za-z_]", text)
            if kind is ASTType.UnaryOperation or is_out or reckoned:
                what = f"the weight {shown(text)} is out of range."
                raise ConstantError(what, where=where(node), hint=RANGE)
        if node.ast_type is ASTType.Definition:
            text = str(node.value)
            if node.value.ast_type is not ASTType.SymbolicTerm or not text.lstrip("-").isdigit():
                what = f"the constant {node.name} is not a whole number."
                raise ConstantError(what, where=where(node))
            if not 0 <= int(text) <= MAX_WEIGHT:
                what = f"the constant {node.name} is {text}."
                raise ConstantError(what, where=where(node), hint=RANGE)
            constants[node.name] = int(text)
    return constants


def _refuse_text(text: str, name: str) -> None:
    """
    Refuse what clingo must not even see, outside strings and comments.

    It includes files while it parses, and names a letter that is not ASCII by half of its bytes.

    Raises:
        EncodingError: with file and line.
    """
    at = depth = 0
    if text.startswith("asp "):  # clingo would take it for a ground program, which no check sees
        raise EncodingError("this is a ground program, not an encoding.", where=f"{name}:1")
    while match := _TOKEN.search(text, at):
        at, kind, what, hint = match.end(), match.lastgroup, "", ""
        inside = int(kind == "block")  # comments within comments
        while inside and (comment := _IN_BLOCK.search(text, at)):
            at = comment.end()
            inside += {"open": 1, "close": -1}.get(comment.lastgroup or "", 0)
        if inside:
            return
        depth = max(0, depth + {"open": 1, "close": -1}.get(kind or "", 0))
        if kind == "directive":
            what = f"{match[0]} is not allowed in an encoding."
            hint = "Say it in rules, and pass each file by itself, with --encoding or --pattern."
        elif kind == "number" and int(match[0], 10 if match[0].isdigit() else 0) > LARGEST:
            what = f"{shown(match[0], 40)} is larger than clingo reckons, which would make another of it."
            hint = f"Numbers may be up to {LARGEST:,}; put what only looks like one into quotes."
        elif kind == "foreign":
            what = f"{match[0]!a} may stand in strings and comments alone."
            hint = "Names are written in ASCII; put text into quotes."
        elif depth > MAX_DEPTH:
            what = TOO_DEEP
        if what:
            line = text.count("\n", 0, match.start()) + 1
            raise EncodingError(what, where=f"{name}:{line}", hint=hint)


def _with_depth(node: AST) -> Iterator[tuple[AST, int]]:
    """Yield a statement and all its parts, each with how deep it stands; not by recursion."""
    pending = [(node, 0)]
    while pending:
        each, depth = pending.pop()
        yield each, depth
        for key in each.child_keys:
            child = getattr(each, key)
            parts = [child] if isinstance(child, AST) else child or ()
            pending += [(part, depth + 1) for part in parts]


# --- what stands in statements -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Head:
    """An atom that a rule derives."""

    predicate: Predicate
    arguments: tuple[AST, ...]


def where(node: AST) -> str:
    """Return file and line of a statement or a part of it."""
    begin = _begin(node)
    return f"{short_name(begin.filename)}:{begin.line}"


def files_of(nodes: Iterable[AST]) -> str:
    """Return the files of statements, each once."""
    return ", ".join(dict.fromkeys(short_name(node.location.begin.filename) for node in nodes))


def lines_of(nodes: Iterable[AST]) -> str:
    """Return file and line of statements, each once."""
    return ", ".join(dict.fromkeys(map(where, nodes)))


def walk(node: AST) -> Iterator[AST]:
    """Yield a piece of a program and all its parts."""
    return (each for each, _ in _with_depth(node))


def terms_of(atom: AST) -> Iterator[AST]:
    """Yield the terms that an atom stands for: one, or several where it holds a pool, as `p(1;2)`."""
    pending = [atom.symbol]
    while pending:
        term = pending.pop(0)
        if term.ast_type is ASTType.UnaryOperation:
            pending.insert(0, term.argument)
        elif term.ast_type is ASTType.Pool:
            pending[:0] = term.arguments
        else:
            yield term


def options(term: AST) -> Sequence[AST]:
    """Return what a term may be: itself, or those of a pool, as `(ask; fill)`."""
    return term.arguments if term.ast_type is ASTType.Pool else [term]


def predicate_of(term: AST) -> Predicate | None:
    """Return name and arity of the term of an atom."""
    if term.ast_type is ASTType.Function:
        return term.name, len(term.arguments)
    if term.ast_type is ASTType.SymbolicTerm and term.symbol.type is SymbolType.Function:
        return term.symbol.name, len(term.symbol.arguments)
    return None


def predicates(atoms: Iterable[AST]) -> set[Predicate]:
    """Return the predicates of atoms."""
    found = {predicate_of(term) for atom in atoms for term in terms_of(atom)}
    return {each for each in found if each is not None}


def _head_literals(head: AST) -> list[AST]:
    """Return the literals that a head derives, or chooses."""
    if head.ast_type is ASTType.Literal:
        return [head]
    if head.ast_type in (ASTType.Aggregate, ASTType.Disjunction):
        return [element.literal for element in head.elements]
    if head.ast_type is ASTType.HeadAggregate:
        return [element.condition.literal for element in head.elements]
    return []


def derived(node: AST) -> list[Head]:
    """Return what a rule derives, or may choose."""
    if node.ast_type is not ASTType.Rule:
        return []
    return [
        Head(predicate, tuple(term.arguments) if term.ast_type is ASTType.Function else ())
        for literal in _head_literals(node.head)
        if literal.ast_type is ASTType.Literal and literal.atom.ast_type is ASTType.SymbolicAtom
        for term in terms_of(literal.atom)
        if (predicate := predicate_of(term)) is not None
    ]


def made(*nodes: AST) -> set[Predicate]:
    """Return the predicates that rules derive, or may choose."""
    return {head.predicate for node in nodes for head in derived(node)}


def declared(*nodes: AST) -> set[Predicate]:
    """Return the predicates that statements declare with #defined."""
    return {(each.name, each.arity) for each in nodes if each.ast_type is ASTType.Defined}


def needed(*nodes: AST) -> set[Predicate]:
    """Return the predicates that statements ask."""
    return predicates(atom for node in nodes for atom in asked(node))


def asked(node: AST) -> Iterator[AST]:
    """Yield the atoms that a statement asks: those of its body, and of conditions anywhere in it."""
    made: set[Position] = set()
    parts = list(getattr(node, "body", ()))
    if node.ast_type is ASTType.Rule:
        made = {_begin(literal) for literal in _head_literals(node.head)}
        parts = [node.head, *node.body]
    for part in parts:
        for each in walk(part):
            if each.ast_type is ASTType.SymbolicAtom and _begin(each) not in made:
                yield each


def _begin(node: AST) -> Position:
    """Return where a piece of a program begins; an atom has no place, its term does."""
    located = node.symbol if node.ast_type is ASTType.SymbolicAtom else node
    begin: Position = located.location.begin
    return begin


def constant_of(term: AST) -> str:
    """Return the word that a term is, as `ask` or the name of a constant, else the empty text."""
    if term.ast_type is ASTType.Function and term.external:
        return ""
    name, arity = predicate_of(term) or ("", 0)
    return "" if arity else str(name)


def value_of(term: AST, constants: Mapping[str, int]) -> int | None:
    """Return the number that a term without variables stands for, or None."""
    text = re.sub(r"[a-z_]\w*", lambda match: str(constants.get(match[0], match[0])), str(term))
    try:
        symbol = parse_term(text, logger=lambda *_: None)
    except RuntimeError:
        return None
    return symbol.number if symbol.type is SymbolType.Number else None


# --- whose they are ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Criterion:
    """What a unit of a kind of penalty costs; the constants are empty where none is written."""

    kind: str
    priority: int | None
    weight: int | None
    priority_constant: str = ""
    weight_constant: str = ""


@dataclass(slots=True)
class Parts:
    """
    The statements of a program by whose they are.

    Attributes:
        core: those of the set, as it is shipped or as `--encodings` gives it; a model of it included.
        model: those of a cost model that is a file of the user's.
        own: those of further files of the user's.
        patterns: those of recovery patterns of the user's.
        ranking: those of the cost model, wherever it comes from.
        weights: those of the weights that models share, where the model is based on them.
        changed: those of the core that are the user's, as `--encodings` gives it.
        constants: the value of each constant, as it is used.
    """

    core: list[AST] = field(default_factory=list)
    model: list[AST] = field(default_factory=list)
    own: list[AST] = field(default_factory=list)
    patterns: list[AST] = field(default_factory=list)
    ranking: list[AST] = field(default_factory=list)
    weights: list[AST] = field(default_factory=list)
    changed: list[AST] = field(default_factory=list)
    constants: Mapping[str, int] = field(default_factory=dict)
    _derived: dict[int, list[Head]] = field(default_factory=dict)

    @property
    def users(self) -> list[AST]:
        """The statements that are the user's."""
        return [*self.model, *self.own, *self.patterns]

    @property
    def theirs(self) -> list[AST]:
        """Those and the ones that the user changed in the core, which may come to anything when grounded."""
        return [*self.users, *self.changed]

    @property
    def all(self) -> list[AST]:
        """Every statement."""
        return [*self.core, *self.users]

    def derived(self, node: AST) -> list[Head]:
        """Return what a rule derives; it is found out once."""
        found = self._derived.get(id(node))
        if found is None:
            found = self._derived[id(node)] = derived(node)
        return found

    def made(self, *nodes: AST) -> set[Predicate]:
        """Return the predicates that rules derive."""
        return {head.predicate for node in nodes for head in self.derived(node)}

    def heads(
        self, nodes: Iterable[AST], predicate: Predicate
    ) -> Iterator[tuple[AST, tuple[AST, ...]]]:
        """Yield the statements that derive a predicate, each with the arguments of the head."""
        for node in nodes:
            for head in self.derived(node):
                if head.predicate == predicate:
                    yield node, head.arguments

    def kinds(self, nodes: Iterable[AST]) -> set[str]:
        """Return the kinds of penalties that statements derive."""
        heads = self.heads(nodes, ("penalty", 3))
        return {constant_of(arguments[0]) for _, arguments in heads} - {""}

    def criteria(self, nodes: Iterable[AST]) -> Iterator[tuple[AST, Criterion]]:
        """
        Yield what statements rank, each with the statement; a kind that is no word is text as written.

        A model that is based on the shared weights ranks all of their kinds, each on its level.
        """
        nodes = list(nodes)
        stated = [(node, *terms) for node, terms in self.heads(nodes, ("criterion", 3))]
        if based := next((node for node, _ in self.heads(nodes, ("based_on", 1))), None):
            placed = (terms for _, terms in self.heads(nodes, ("level", 2)))
            levels = {str(kind): level for kinds, level in placed for kind in options(kinds)}
            generic = self.heads(self.weights, ("criterion", 3))
            usual = next(level for _, (_, level, _) in generic if constant_of(level))
            off = {kind for _, kind in self.switched_off(nodes)}
            shared = (terms for _, terms in self.heads(self.weights, ("shared", 2)))
            kept = [(kind, weight) for kind, weight in shared if str(kind) not in off]
            stated[:0] = [(based, kind, levels.get(str(kind), usual), n) for kind, n in kept]
        shipped = set(map(id, self.weights))
        for node, kinds, *terms in stated:
            priority, weight = (value_of(term, self.constants) for term in terms)
            for kind in options(kinds) if id(node) not in shipped else ():
                yield node, Criterion(str(kind), priority, weight, *map(constant_of, terms))

    def switched_off(self, nodes: Iterable[AST]) -> Iterator[tuple[AST, str]]:
        """Return the kinds that statements leave free, each with the statement."""
        off = self.heads(nodes, ("criterion_off", 1))
        return ((node, str(kind)) for node, (kinds,) in off for kind in options(kinds))

    def own_rules(self, names: Collection[str]) -> str:
        """Return file and line of the user's rules that derive predicates of these names; else their files."""
        rules = [*self.patterns, *self.changed]
        found = [n for n in rules if any(h.predicate[0] in names for h in self.derived(n))]
        return lines_of(found) or files_of(rules)

    def minimized(self) -> list[AST]:
        """Return the weak constraints of the user's."""
        return [node for node in self.users if node.ast_type is ASTType.Minimize]

    def places(self, predicate: Predicate, kind: str = "") -> str:
        """Return file and line of the rules that derive a predicate: for a kind, or for any where none does."""
        heads = self.heads(self.all, predicate)
        words = [(constant_of(first), node) for node, (first, *_) in heads]
        of_kind = [node for word, node in words if word == kind]
        return lines_of(of_kind or [node for word, node in words if not word])
