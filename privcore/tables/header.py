"""Names of columns: whether the first row holds them, and how they become unique."""

from __future__ import annotations

from collections.abc import Sequence

from privcore.tables.numerals import form_of, is_number
from privcore.tables.problems import Problem, quoted


def headerless(first: list[str], character: str, width: int) -> list[Problem]:
    """What is said about a table whose first row holds numbers only."""
    called = "column is called x1" if width == 1 else f"columns are called x1 to x{width}"
    what = f"There is no header: the first row holds numbers; the {called}"
    problems = [Problem("warning", what, "", "If the first row holds names, say that it is the header.")]
    if character == "," and width == 2 and all(form_of(cell) == "whole" for cell in first):
        what = "The comma was taken as the delimiter of two columns"
        problems.append(Problem("warning", what, "", "If it is the decimal mark of one column, say so (decimal)."))
    return problems


def all_numbers(cells: list[str]) -> bool:
    """Whether a first row is a row of data: numbers, and nothing that could be a name.

    >>> all_numbers(["1", ""]), all_numbers(["x", "1"])
    (True, False)
    """
    return any(map(is_number, cells)) and all(form_of(cell) != "text" for cell in cells)


def numbers_in_header(first: list[str]) -> list[Problem]:
    """What is said about a header with a number in it."""
    numbers = [cell for cell in first if is_number(cell)]
    if not numbers:
        return []
    what = f"The first row was taken as the header, although {quoted(numbers[0])} in it is a number"
    return [Problem("warning", what, "", "If it is a row of data, say that there is no header.")]


def unique_names(names: Sequence[str]) -> tuple[list[str], list[Problem]]:
    """Names that are neither empty nor used twice; each change is a problem."""
    taken = {name for name in names if name}
    unique: list[str] = []
    problems = []
    seen: set[str] = set()
    for position, name in enumerate(names, start=1):
        chosen = name or f"column {position}"
        number = 2
        while chosen in seen or (chosen != name and chosen in taken):
            chosen = f"{name or f'column {position}'} ({number})"
            number += 1
        if chosen != name:
            fault = f"Column {position} has no name" if not name else f"Column {position} has the name of another one"
            problems.append(
                Problem("warning", f"{fault}; it is called {quoted(chosen)}", "header", "Give it a name of its own.")
            )
        seen.add(chosen)
        unique.append(chosen)
    return unique, problems
