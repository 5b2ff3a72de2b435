"""Says which calls of tools a plan needs, in which order they stand, and what each of them needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from refract_asp.plan.callees import Callee, callee
from refract_asp.plan.context import Context
from refract_asp.plan.diagnostics import PlanDiagnostic, refused
from refract_asp.plan.order import alias_reads, in_order, names_in
from refract_asp.plan.syntax import NOWHERE, Expression, Invocation, Name, Place, Plan, parts_of

__all__ = ["Numbering", "Planned"]


@dataclass(frozen=True, slots=True)
class Planned:
    """
    A call of a tool that a plan needs.

    Attributes:
        number: its number, from 0, by which its result is given.
        tool: the name of the tool, with dots where it lies in a namespace.
        label: the alias that is bound to the call and nothing else, or None.
        needs: the numbers of the calls whose results its arguments are made of, smaller than its own.
        place: where the call stands.
    """

    number: int
    tool: str
    label: str | None
    needs: tuple[int, ...]
    place: Place = NOWHERE


class Numbering:
    """
    The calls of tools that the `return` of a plan needs.

    Args:
        plan: a plan whose names are checked.
        context: what they mean.

    Attributes:
        planned: the calls, arguments before the call, else as they stand; what an alias needs that stands
            further down comes before it.
        calls: the same as they are written.
        numbers: the number of each, by the id of the expression.
        callees: what the calls call, those of local functions too, by the id of the expression.
        expressions: what aliases are bound to.
        reads: which aliases are read to evaluate each that is needed, without those
            that only tools are given in it.
        result_needs: the numbers of the calls whose results are part of what is returned.

    Raises:
        PlanError: the plan has more calls than it may.
    """

    def __init__(self, plan: Plan, context: Context) -> None:
        """Number the calls."""
        self._context = context
        self._left = context.limits.calls
        self.expressions: dict[str, Expression] = {alias.name: alias.value for alias in plan.aliases}
        self.planned: list[Planned] = []
        self.calls: list[Invocation] = []
        self.numbers: dict[int, int] = {}
        self.callees: dict[int, Callee] = {}
        reads = alias_reads(plan)
        wanted = set(in_order(names_in(plan.result, self.expressions), reads))
        order = in_order((name for name in self.expressions if name in wanted), reads)
        needs: dict[str, int] = {}  # the numbers as bits: sets would grow with the square of the plan
        for name in order:
            needs[name] = self._numbered(self.expressions[name], needs, name)
        self.result_needs = _bits(self._numbered(plan.result, needs, None))
        self.reads = {name: self.read_now(self.expressions[name]) for name in order}

    def _numbered(self, expression: Expression, needs: Mapping[str, int], label: str | None) -> int:
        """Number the invocations in an expression; return the bits of those whose results it needs."""
        if isinstance(expression, Name):
            return needs.get(expression.name, 0)
        if not isinstance(expression, Invocation):
            bits = 0
            for inner in parts_of(expression):
                bits |= self._numbered(inner, needs, None)
            return bits
        self._left -= 1
        if self._left < 0:
            message = f"the plan has more than {self._context.limits.calls:,} calls."
            raise refused([PlanDiagnostic("too_many_calls", message, expression.place)])
        found = callee(expression, self._context, self.expressions)
        assert found is not None, "names are checked"
        self.callees[id(expression)] = found
        bits = self._numbered(found.of, needs, None) if found.of is not None else 0
        for argument in expression.arguments:
            bits |= self._numbered(argument, needs, None)
        if found.kind != "domain":
            return bits
        number = len(self.planned)
        self.numbers[id(expression)] = number
        self.calls.append(expression)
        self.planned.append(Planned(number, ".".join(found.path), label, _bits(bits), expression.place))
        return 1 << number

    def read_now(self, expression: Expression) -> tuple[str, ...]:
        """Return the aliases that are read to evaluate an expression, not those that its tools were given."""
        if id(expression) in self.numbers:
            return ()
        if isinstance(expression, Name):
            return (expression.name,) if expression.name in self.expressions else ()
        return tuple(dict.fromkeys(name for part in parts_of(expression) for name in self.read_now(part)))


def _bits(bits: int) -> tuple[int, ...]:
    """Return the numbers of the bits that are set."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return tuple(found)
