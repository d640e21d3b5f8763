"""JSON that is read strictly: no NaN, no field twice, and nothing that was converted on the way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def loads(text: str | bytes) -> Any:
    """The content of a JSON text; raises `ValueError` for anything else, NaN, infinities and repeated fields too.

    >>> loads('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: a field occurs twice
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def changed_field(given: Mapping[str, Any], written: str) -> str | None:
    """The first field that `given` and the JSON object `written` don't have alike: same value, same type.

    >>> changed_field({"a": 1, "b": 2.0}, '{"a": 1, "b": 2}')
    'b'
    """
    expected = json.loads(written)
    for name in {**expected, **given}:
        if name not in given or name not in expected or _canonical(given[name]) != _canonical(expected[name]):
            return str(name)
    return None


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise ValueError("a field occurs twice")
    return content
