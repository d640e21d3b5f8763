"""Long computations leave the interpreter to others: a server that measures one distance still answers."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import privcore

KERNELS = [
    (path.name, node.name, ast.unparse(decorator))
    for path in sorted(Path(privcore.__file__).parent.rglob("*.py"))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    if isinstance(node, ast.FunctionDef)
    for decorator in node.decorator_list
    if "njit" in ast.unparse(decorator)
]


def test_there_are_compiled_kernels() -> None:
    assert len(KERNELS) >= 5


@pytest.mark.parametrize(("file", "name", "decorator"), KERNELS)
def test_every_compiled_kernel_lets_other_threads_run(file: str, name: str, decorator: str) -> None:
    assert "nogil=True" in decorator, f"{file}: {name} would stop every reader of a server while it runs"
    assert "cache=True" in decorator, f"{file}: {name} would be compiled at every start"
