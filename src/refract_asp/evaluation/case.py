"""A case: a sequence, the tools it may use, and the repair that is expected of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

from refract_asp.bench.mutations.mutation import Mutation, Open
from refract_asp.errors import FormatError, InputError
from refract_asp.model import Catalog, Memory, Sequence
from refract_asp.model.comparison import same

__all__ = ["SCHEMA_VERSION", "Broken", "Case", "Dial", "Digests", "case_row", "sequence_data"]

SCHEMA_VERSION = 1
RIGHT = "none"
"""The kind of a case in which nothing is wrong."""
SEVERAL = "mix"
"""The kind of a case in which several kinds are."""

Dial: TypeAlias = str | int | float | bool | None
"""What a dial was set to when the case was made."""


@dataclass(frozen=True, slots=True)
class Broken:
    """
    What was broken on purpose in a sequence.

    Attributes:
        kind: the kind of mutation.
        what: what was changed, for people.
        call: the index of the call in the sequence before, or None.
        parameter: the parameter, or None.
        variant: "misspelt" or "invented" for names, else the empty text.
    """

    kind: str
    what: str = ""
    call: int | None = None
    parameter: str | None = None
    variant: str = ""

    @classmethod
    def of(cls, mutation: Mutation) -> Broken:
        """Return what a mutation broke."""
        token = mutation.token
        return cls(mutation.kind, mutation.what, token.call, token.parameter, mutation.variant)


@dataclass(frozen=True, slots=True)
class Case:
    """
    A sequence and what is expected of it.

    Attributes:
        id: its name, unique in its file.
        sequence: the calls as they came in.
        catalog: the tools that may be called.
        expected: the repair that is wanted; an ask stands where a value is lost for good. One that equals the
            sequence says that nothing is wrong with it.
        also: other answers that are as good.
        open: what of the expected calls may differ.
        kind: what is wrong, in one word: "none" for nothing, "mix" for several kinds, or a word of one's own.
        mutations: what was broken on purpose.
        informed: whether what was lost can be told from what is left, see docs/evaluation.md.
        memory: values already known.
        dials: how the case was made: a number or a word by dial, as `{"tools": 100}`.
        catalog_name: the name of the catalog, where it is one of those shipped.
        place: where it stood: file and line.
    """

    id: str
    sequence: Sequence
    catalog: Catalog
    expected: Sequence
    also: tuple[Sequence, ...] = ()
    open: tuple[Open, ...] = ()
    kind: str = ""
    mutations: tuple[Broken, ...] = ()
    informed: bool = True
    memory: Memory | None = None
    dials: Mapping[str, Dial] = field(default_factory=dict)
    catalog_name: str = ""
    place: str = ""

    def __post_init__(self) -> None:
        """Name the kind where nobody did, and refuse what is open in calls that there are not."""
        if not self.kind:
            object.__setattr__(self, "kind", self._kind())
        for each in self.open:
            if not 0 <= each.call < len(self.expected.calls):
                raise InputError(
                    f"open names call {each.call}, and expected has {len(self.expected.calls)} calls.",
                    where=self.place,
                    hint="Calls are counted from 0.",
                )

    @classmethod
    def of(cls, mutation: Mutation, catalog: Catalog, id: str, **more: Any) -> Case:
        """
        Return the case that a mutation makes; `more` is what it does not know, as `memory` or `dials`.

        Example:
            >>> from refract_asp.bench.mutations import mutate
            >>> catalog = Catalog.load({"tools": [{"name": "Search", "parameters": {"query": {}}}]})
            >>> mutation = mutate(Sequence.load('Search(query="Rome")'), catalog, "tool_name", "seed")
            >>> case = Case.of(mutation, catalog, "first", dials={"tools": 1})
            >>> case.kind, case.is_right, str(case.expected)
            ('tool_name', False, 'Search(query="Rome")')
        """
        return cls(
            **{
                "id": id,
                "sequence": mutation.broken,
                "catalog": catalog,
                "expected": mutation.expected,
                "open": mutation.open,
                "kind": mutation.kind,
                "mutations": tuple(Broken.of(part) for part in mutation.parts or (mutation,)),
                "informed": mutation.informed,
                **more,
            }
        )

    @property
    def is_right(self) -> bool:
        """Whether nothing is wrong with the sequence, so that every change of it is a false alarm."""
        return self.sequence == self.expected

    def _kind(self) -> str:
        kinds = {each.kind for each in self.mutations}
        if len(kinds) == 1:
            return kinds.pop()
        return SEVERAL if kinds else RIGHT if self.is_right else ""


class Digests:
    """Tells cases and catalogs by the hash of what they say; that of a catalog is computed once."""

    def __init__(self) -> None:
        """Know no catalog yet."""
        self._catalogs: dict[int, tuple[Catalog, str]] = {}

    def catalog(self, catalog: Catalog) -> str:
        """Return the hash of a catalog."""
        if id(catalog) not in self._catalogs:
            if len(self._catalogs) >= _MAX_KNOWN:
                del self._catalogs[next(iter(self._catalogs))]
            tools = catalog.dump("native")["tools"]  # a catalog is often named after its file
            self._catalogs[id(catalog)] = (
                catalog,
                _digest(tools),
            )  # it is kept, so its id is its own
        return self._catalogs[id(catalog)][1]

    def case(self, case: Case) -> str:
        """Return the hash of a case: of its row, wherever its catalog stands."""
        return _digest(case_row(case, self.catalog(case.catalog)))


_MAX_KNOWN = 64


def _digest(data: Any) -> str:
    text = json.dumps(data, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def case_row(case: Case, catalog: Any = None) -> dict[str, Any]:
    """
    Return a case as the data of one line.

    Args:
        case: the case.
        catalog: what stands for its catalog: a path beside the file or a name; None for the data itself.

    Raises:
        FormatError: a sequence cannot be written so that it reads back the same.
    """
    row: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "id": case.id,
        "catalog": case.catalog.dump("native") if catalog is None else catalog,
        "sequence": sequence_data(case.sequence),
        "expected": sequence_data(case.expected),
        "also": [sequence_data(each) for each in case.also],
        "open": [{"call": each.call, "parameters": sorted(each.parameters)} for each in case.open],
        "kind": case.kind,
        "mutations": [
            {k: v for k, v in asdict(b).items() if v not in ("", None)} for b in case.mutations
        ],
        "informed": case.informed,
        "memory": None if case.memory is None else case.memory.values,
        "dials": dict(case.dials),
    }
    return {
        key: value for key, value in row.items() if value not in ([], {}, None) or key in _ALWAYS
    }


_ALWAYS = frozenset({"catalog", "sequence", "expected"})


def sequence_data(sequence: Sequence) -> Any:
    """
    Return a sequence as data that reads back the same: lines where they can say it all.

    Raises:
        FormatError: no format can say what it says.

    Example:
        >>> sequence_data(Sequence.load('ask(query)\\nx = Search(query=query)'))
        ['ask(query)', 'x = Search(query=query)']
    """
    for format in ("pretty", "nestful", "openai"):
        try:
            data = sequence.dump(format)
            if Sequence.load(data) == sequence:
                return data
        except InputError:  # it cannot be said so
            continue
    # The ids of calls are lost in lines, and count for nothing here.
    lines = sequence.dump("pretty")
    read = Sequence.load(lines)
    if same(read, sequence) and [c.label for c in read.calls] == [c.label for c in sequence.calls]:
        return lines
    raise FormatError("a sequence of a case cannot be written so that it reads back the same.")
