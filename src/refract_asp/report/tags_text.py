"""Error tags as text: which there are, and where."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from refract_asp.errors import shown
from refract_asp.formats.pretty import call_text, source_text
from refract_asp.model.secrets import Secrets
from refract_asp.model.sequence import Call
from refract_asp.model.tags import MEANINGS
from refract_asp.report.available import name_text
from refract_asp.report.terminal import escaped, painted

if TYPE_CHECKING:
    from refract_asp.model.result import Report
    from refract_asp.model.sequence import Sequence
    from refract_asp.model.tags import TaggedFault, Tags

__all__ = ["tags_text"]


def tags_text(
    tags: Tags,
    given: Sequence,
    truth: Sequence | None = None,
    *,
    report: Report | None = None,
    secrets: Secrets | None = None,
    color: bool = False,
    width: int = 80,
) -> str:
    """
    Print the tags of a sequence as a whole, then each mistake with its place and what it is about.

    Args:
        tags: the mistakes.
        given: the sequence in which they are.
        truth: the sequence that it was compared with, if it was.
        report: what `check` or `repair` found, to which the tags belong; without it, and without a truth, it
            is told what each tag means.
        secrets: what hides the secrets; by default that of the report, or by their names.
        color: whether to add terminal colours.
        width: at how many columns lines are wrapped.

    Example:
        >>> from refract_asp import check
        >>> from refract_asp.model import Sequence
        >>> calls = Sequence.load("Pay(sum=3)")
        >>> report = check(calls, {"tools": [{"name": "Pay"}]})
        >>> print(tags_text(report.tags(), calls, report=report))
        1 tag: made_up_parameter
        <BLANKLINE>
        call 1 (Pay), sum: made_up_parameter: Pay has no parameter sum
    """
    if secrets is None:
        secrets = report._secrets if report is not None else Secrets()
    if not tags.faults:
        return "no tags: nothing differs." if truth is not None else "no tags: nothing is wrong."
    names = [f"{tag} ({count})" if count > 1 else tag for tag, count in tags.counts.items()]
    number = len(names)
    head = _wrapped(f"{number} tag{'s' if number != 1 else ''}: {', '.join(names)}", width)
    lines = []
    for fault in tags.faults:
        told = _violations(fault, report) if truth is None else _difference(fault, given, truth, secrets)
        line = f"{_place(fault, given, truth)}: {fault.tag}: {told or MEANINGS[fault.tag]}"
        wrapped = _wrapped(line, width)
        lines.append(wrapped.replace(fault.tag, painted(fault.tag, "bold", "red"), 1) if color else wrapped)
    return "\n".join([head, "", *lines])


def _violations(fault: TaggedFault, report: Report | None) -> str:
    """Return what the violations say that come of a mistake, the first of them."""
    numbers = fault.violations if report is not None else ()
    found = [report.violations[each] for each in numbers if each < len(report.violations)] if report else []
    if not found:
        return ""
    first = found[0]
    place = ""
    if fault.call != first.call and first.call is not None:  # as of what reads from a call without a label
        place = f"call {first.call + 1}: "
    more = f"; and {len(found) - 1} more violation{'s' * (len(found) > 2)}" if len(found) > 1 else ""
    return f"{place}{first.message}{more}"


def _difference(fault: TaggedFault, given: Sequence, truth: Sequence, secrets: Secrets) -> str:
    """Return what is given and what is wanted, where that is more than the tag says; secrets are hidden."""
    mine, yours = _call(given, fault.call), _call(truth, fault.truth)
    if fault.tag == "missing_call" and yours is not None:
        return f"the truth calls {shown(call_text(secrets.call(yours)))}"
    if mine is None:
        return ""
    if fault.tag == "superfluous_call":
        return f"the truth has no such call of {name_text(mine.name)}"
    if fault.tag == "bad_repetition":
        return f"{name_text(mine.name)} is called in this way before, and in the truth not again"
    if yours is None:
        return ""
    if fault.tag in ("made_up_tool", "wrong_tool"):
        return f"{name_text(mine.name)}, where the truth calls {name_text(yours.name)}"
    if fault.tag == "made_up_parameter":
        names = [name_text(name) for name in yours.arguments if name not in mine.arguments]
        return f"{name_text(mine.name)} has no such parameter" + (
            f"; the truth passes {shown(', '.join(names))}" if names else ""
        )
    if fault.tag in ("missing_label", "wrong_label"):
        label = "no label" if mine.label is None else f"{name_text(mine.label)}, which nobody reads"
        return f"the call bears {label}; the truth reads from it"
    if fault.parameter is None or fault.tag == "wrong_order":
        return ""
    texts = [_argument(call, fault.parameter, (mine, yours), secrets) for call in (mine, yours)]
    match texts:
        case [str(one), str(other)] if one != other:
            return f"{one}, where the truth has {other}"
        case [str(one), None]:
            return f"{one}, which the truth does not pass"
        case [None, str(other)]:
            return f"absent, where the truth has {other}"
    return ""


def _call(sequence: Sequence, number: int | None) -> Call | None:
    """Return a call by its index; what is returned counts as a call without a name."""
    if number is None or number > len(sequence.calls):
        return None
    if number == len(sequence.calls):
        return Call(name="", arguments=sequence.returns or {})
    return sequence.calls[number]


def _argument(call: Call, parameter: str, both: tuple[Call, Call], secrets: Secrets) -> str | None:
    """Print what an argument is bound to, hidden where it is secret for one of two tools."""
    source = call.arguments.get(parameter)
    if source is None:
        return None
    return shown(source_text(secrets.argument([each.name for each in both], [parameter], source)))


def _place(fault: TaggedFault, given: Sequence, truth: Sequence | None) -> str:
    if fault.call is None:
        if truth is None or fault.truth is None:
            return "sequence"
        call = truth.calls[fault.truth]
        return f"sequence (call {fault.truth + 1} of the truth, {name_text(call.label or call.name)})"
    if fault.call == len(given.calls):
        place = "what is returned"
    else:
        call = given.calls[fault.call]
        place = f"call {fault.call + 1} ({name_text(call.label or call.name)})"
    return place if fault.parameter is None else f"{place}, {name_text(fault.parameter)}"


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(
        escaped(text),
        max(width, 20),
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
