"""The assignment problem: who goes with whom at the least cost, by the method of Kuhn and Munkres."""

from __future__ import annotations

__all__ = ["assigned"]


def assigned(costs: list[list[int]]) -> list[int]:
    """
    Return a column for each row, all different, such that the sum of the costs is least.

    There may be no more rows than columns. Rows are added one by one, each along the shortest path of
    changes by reduced costs; the work grows with rows * rows * columns.

    Example:
        >>> assigned([[4, 1, 3], [2, 0, 5]])
        [1, 0]
    """
    width = len(costs[0]) if costs else 0
    row_price, column_price = [0] * len(costs), [0] * width
    holder = [-1] * width  # the row that each column goes with
    for added in range(len(costs)):
        nearest: dict[int, int] = {}  # columns not reached yet, and how far they are
        before = [-1] * width
        reached: dict[int, None] = {}
        row, column = added, -1
        while True:
            for other in range(width):
                reduced = costs[row][other] - row_price[row] - column_price[other]
                if other not in reached and reduced < nearest.get(other, reduced + 1):
                    nearest[other] = reduced
                    before[other] = column
            column = min(nearest, key=lambda other: (nearest[other], other))
            step = nearest.pop(column)
            row_price[added] += step
            for other in reached:
                row_price[holder[other]] += step
                column_price[other] -= step
            for other in nearest:
                nearest[other] -= step
            if holder[column] < 0:
                break
            reached[column] = None
            row = holder[column]
        while column >= 0:  # every row on the path moves to the column that comes next
            holder[column] = holder[before[column]] if before[column] >= 0 else added
            column = before[column]
    chosen = [0] * len(costs)
    for column, row in enumerate(holder):
        if row >= 0:
            chosen[row] = column
    return chosen
