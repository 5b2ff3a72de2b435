"""Facts that make sense only together: of calls and tools, of memory, of returns, of pairs of calls."""

from __future__ import annotations


def held(label: str, *paths: str) -> str:
    """State that memory knows a label, and holds values at these paths under it."""
    memory = f'memory("{label}")'
    return f"in_name({memory}, {memory}). in_tool({memory}). " + "".join(
        f'in_gives({memory}, "{path}"). ' for path in paths
    )


def returning(number: int) -> str:
    """State that a sequence returns something, under the number that follows the last call."""
    return f"in_returns({number}). in_name({number}, returns). in_tool(returns). in_takes_any(returns). "


def pair(first: int, second: int) -> str:
    """State that two calls may turn out to be the same."""
    return f"in_pair({first}, {second}). in_paired({first}). in_paired({second}). "


def unlike(*paths: str) -> str:
    """State that outputs of Find have the type of the key of Book, and nothing in common with its name."""
    fits = "".join(f'in_fit("Find", "{path}", "Book", "key", 20). ' for path in paths)
    return f'{fits}in_unlike("Find", "Book", "key", {len(paths)}). '


Read = tuple[str, str, "int | str"]
"""What an argument reads: label, path, and the call that bears the label, or what stands for memory."""


def call(number: int, tool: str, label: str | None = None, **arguments: int | Read) -> str:
    """State a call: what it passes are numbers of values, or what it reads; a negative one was executed."""
    facts = f'in_call({number}). in_name({number}, "{tool}"). in_paired({number}). '
    facts += f'in_label({number}, "{label}"). ' if label is not None else ""
    facts += f"in_executed({number}). " if number < 0 else ""
    for name, source in arguments.items():
        facts += f'in_arg({number}, "{name}"). '
        if isinstance(source, int):
            facts += f'in_value({number}, "{name}", {source}). '
        else:
            read, path, producer = source
            facts += f'in_ref({number}, "{name}", 0, "{read}", "{path}"). '
            facts += f'in_producer({number}, "{name}", 0, {producer}). '
    return facts


def tool(name: str, effect: str, takes: str = "", gives: str = "", needs: str = "") -> str:
    """State a tool; parameters, outputs and what is required are words."""
    facts = f'in_tool("{name}"). in_effect("{name}", {effect}). '
    facts += "".join(f'in_param("{name}", "{each}"). ' for each in takes.split())
    facts += "".join(f'in_required("{name}", "{each}"). ' for each in needs.split())
    return facts + "".join(f'in_gives("{name}", "{each}"). ' for each in gives.split())
