"""In which order the aliases of a plan are evaluated, and which of them read each other."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

from refract_asp.plan.syntax import Expression, Name, Plan, parts_of

__all__ = ["Unkept", "alias_reads", "cycles", "in_order", "names_in"]


def alias_reads(plan: Plan) -> dict[str, tuple[str, ...]]:
    """
    Return which aliases each alias reads, each once, in the order in which they stand.

    Example:
        >>> from refract_asp.plan.syntax import Alias
        >>> alias_reads(Plan((Alias("a", Name("x")), Alias("b", Name("a"))), Name("b")))
        {'a': (), 'b': ('a',)}
    """
    names = {alias.name for alias in plan.aliases}
    return {
        alias.name: tuple(dict.fromkeys(names_in(alias.value, names))) for alias in plan.aliases
    }


def in_order(wanted: Iterable[str], reads: Mapping[str, Iterable[str]]) -> list[str]:
    """
    Return the wanted aliases and all that they read, what is read first; chains may be of any length.

    Example:
        >>> in_order(["c"], {"a": (), "b": ("a",), "c": ("b", "a")})
        ['a', 'b', 'c']
    """
    ordered: list[str] = []
    seen: set[str] = set()
    for start in wanted:
        if start in seen:
            continue
        seen.add(start)
        path: list[tuple[str, Iterator[str]]] = [(start, iter(reads[start]))]
        while path:
            name, rest = path[-1]
            following = next((each for each in rest if each not in seen), None)
            if following is None:
                ordered.append(name)
                path.pop()
            else:
                seen.add(following)
                path.append((following, iter(reads[following])))
    return ordered


def names_in(expression: Expression, names: Container[str]) -> Iterator[str]:
    """
    Yield those of the names that stand in an expression, from left to right.

    Example:
        >>> from refract_asp.plan.syntax import ListOf
        >>> list(names_in(ListOf((Name("b"), Name("x"), Name("a"))), {"a", "b"}))
        ['b', 'a']
    """
    left = [expression]
    while left:
        each = left.pop()
        if isinstance(each, Name):
            if each.name in names:
                yield each.name
        else:
            left += reversed(parts_of(each))


def cycles(reads: Mapping[str, tuple[str, ...]]) -> list[list[str]]:
    """
    Return of each group of aliases that read each other a shortest way around, from the one written first.

    Example:
        >>> cycles({"a": ("b",), "b": ("c", "a"), "c": (), "d": ("d",)})
        [['a', 'b'], ['d']]
    """
    written = {name: number for number, name in enumerate(reads)}
    return [
        _around(set(group), min(group, key=written.__getitem__), reads)
        for group in _groups(reads)
        if len(group) > 1 or group[0] in reads[group[0]]
    ]


def _around(group: set[str], start: str, reads: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return a shortest way from an alias back to itself, inside its group."""
    before: dict[str, str] = {}
    reached = [start]
    for name in reached:
        for other in reads[name]:
            if other == start:
                way = [name]
                while way[-1] != start:
                    way.append(before[way[-1]])
                return way[::-1]
            if other in group and other not in before:
                before[other] = name
                reached.append(other)
    return [start]


def _groups(reads: Mapping[str, tuple[str, ...]]) -> list[list[str]]:
    """Return the strongly connected components (Tarjan's algorithm, without recursion)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    groups: list[list[str]] = []
    for start in reads:
        if start in number:
            continue
        path: list[tuple[str, Iterator[str]]] = []
        entered: str | None = start
        while entered is not None or path:
            if entered is not None:
                number[entered] = low[entered] = len(number)
                stack.append(entered)
                on_stack.add(entered)
                path.append((entered, iter(reads[entered])))
                entered = None
            name, rest = path[-1]
            for other in rest:
                if other not in number:
                    entered = other
                    break
                if other in on_stack:
                    low[name] = min(low[name], number[other])
            if entered is not None:
                continue
            path.pop()
            if path:
                low[path[-1][0]] = min(low[path[-1][0]], low[name])
            if low[name] == number[name]:
                at = len(stack) - 1
                while stack[at] != name:
                    at -= 1
                groups.append(stack[at:])
                on_stack.difference_update(stack[at:])
                del stack[at:]
    return groups


class Unkept(Mapping[str, tuple[str, ...]]):
    """What aliases read, without those that are evaluated."""

    def __init__(self, reads: Mapping[str, tuple[str, ...]], kept: Container[str]) -> None:
        """Look at both as they are when something is looked up."""
        self._reads = reads
        self._kept = kept

    def __getitem__(self, name: str) -> tuple[str, ...]:
        """Return what an alias reads that is not evaluated."""
        return tuple(each for each in self._reads[name] if each not in self._kept)

    def __iter__(self) -> Iterator[str]:
        """Go through the aliases."""
        return iter(self._reads)

    def __len__(self) -> int:
        """Return how many aliases there are."""
        return len(self._reads)
