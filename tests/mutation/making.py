"""Makes the mutants of a source file: every operator at every node that has behaviour."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import accumulate

from tests.mutation.mutant import Lines, Mutant
from tests.mutation.operators import OPERATORS

_Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NAMED = (*_FUNCTIONS, ast.ClassDef)
_PLACED = (ast.expr, ast.stmt, ast.keyword)
_WITHOUT_BEHAVIOUR = (ast.Import, ast.ImportFrom, ast.JoinedStr, ast.Pass)
# Declarations for type checkers, by the name of the function that is called.
_DECLARING = ("TypeVar", "cast")


def mutants_of(file: str, source: bytes) -> list[Mutant]:
    """All mutants of a file, in the order of the source; some may not parse."""
    offsets = [0, *accumulate(len(line) for line in source.splitlines(keepends=True))]
    found: dict[bytes, Mutant] = {}
    for function, statement, node in _nodes(ast.parse(source), (), (1, 1)):
        for operator, changes in OPERATORS.items():
            for replaced, text in changes(node):
                lines, start, end = _place(replaced, offsets)
                mutant = Mutant(
                    file, function, operator, source, start, end, text, lines, statement
                )
                found.setdefault(mutant.spoilt, mutant)
    return sorted(found.values(), key=lambda each: (each.start, each.end, each.operator))


def _place(
    replaced: ast.AST | tuple[ast.AST, ast.AST], offsets: list[int]
) -> tuple[Lines, int, int]:
    """The first and last line of one or several nodes, and where their bytes begin and end."""
    begin, end = replaced if isinstance(replaced, tuple) else (replaced, replaced)
    assert isinstance(begin, _PLACED)
    assert isinstance(end, _PLACED)
    first, last = begin.lineno, end.end_lineno or end.lineno
    start = offsets[first - 1] + begin.col_offset
    return (first, last), start, offsets[last - 1] + (end.end_col_offset or 0)


def is_other_program(mutant: Mutant) -> bool:
    """Whether the spoilt source is valid, and not only written in another way."""
    try:
        return ast.dump(ast.parse(mutant.spoilt)) != ast.dump(ast.parse(mutant.source))
    except SyntaxError:
        return False


def _nodes(
    node: ast.AST, scope: tuple[_Named, ...], around: Lines
) -> Iterator[tuple[str, Lines, ast.AST]]:
    """The nodes that have behaviour, with the names of their functions and their statements."""
    for child in _children(node):
        lines = _head(child) if isinstance(child, ast.stmt) else around
        yield _function(scope), lines, child
        yield from _nodes(child, (*scope, child) if isinstance(child, _NAMED) else scope, lines)


def _function(scope: tuple[_Named, ...]) -> str:
    """The qualified name of a function; empty outside of functions, where code runs at import."""
    runs_later = any(isinstance(node, _FUNCTIONS) for node in scope)
    return ".".join(node.name for node in scope) if runs_later else ""


def _head(node: ast.stmt) -> Lines:
    inner = [child.lineno for child in ast.walk(node) if isinstance(child, ast.stmt)]
    last = min((line - 1 for line in inner if line > node.lineno), default=node.end_lineno)
    return node.lineno, last or node.lineno


def _children(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, _FUNCTIONS):
        yield from (*node.args.defaults, *filter(None, node.args.kw_defaults), *_body(node))
    elif isinstance(node, ast.ClassDef):
        if not any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases):
            yield from _body(node)
    elif isinstance(node, ast.AnnAssign):
        yield from [node.value] if node.value else []
    elif isinstance(node, ast.Module):
        yield from (each for each in _body(node) if not _declares(each))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield from () if node.func.id in _DECLARING else ast.iter_child_nodes(node)
    elif not isinstance(node, _WITHOUT_BEHAVIOUR):
        yield from ast.iter_child_nodes(node)


def _body(
    node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
) -> list[ast.stmt]:
    return [each for each in node.body if not _is_docstring(each)]


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _declares(node: ast.stmt) -> bool:
    """Whether a statement of a module is for readers and type checkers alone."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    if isinstance(node, ast.Assign):
        alias = isinstance(node.value, ast.Subscript | ast.BinOp) and isinstance(
            getattr(node.value, "value", None), ast.Name
        )
        return alias or ast.unparse(node.targets[0]) in ("__all__",)
    return False
