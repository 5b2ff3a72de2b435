"""Facts that make sense only together: of memory, of returns, of pairs of calls, of weak offers."""

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
