"""Imports the modules of the reference adapters again, with changed source of some of them."""

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from types import CodeType, ModuleType
from typing import Any

from tests.mutation.mutant import ROOT

_EXECUTED = "__executed__"
_ADAPTERS = ("conformance.dialects.client.", ".reference.")


def module_of(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")


@contextmanager
def imported_again(changed: Mapping[str, Any], **names: object) -> Iterator[None]:
    """Within the block, the modules of the adapters are new, with these sources or trees by file.

    ``names`` are put into the changed modules before they are executed.
    """
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if _is_adapters(name)}
    finder = _Finder(changed, names)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if _is_adapters(name)]:
            del sys.modules[name]
        sys.modules.update(before)
        for name, module in before.items():
            package, _, own = name.rpartition(".")
            setattr(sys.modules[package], own, module)


def _is_adapters(name: str) -> bool:
    return any(part in f"{name}." for part in _ADAPTERS) and name.startswith("conformance.")


class _Finder(MetaPathFinder):
    def __init__(self, changed: Mapping[str, Any], names: Mapping[str, object]) -> None:
        self._files = {module_of(file): file for file in changed}
        self._changed, self._names = changed, names

    def find_spec(
        self, name: str, path: object = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        if (file := self._files.get(name)) is None:
            return None
        place = str(ROOT / file)
        loader = _Loader(name, place, self._changed[file], self._names)
        return spec_from_file_location(name, place, loader=loader)


class _Loader(SourceFileLoader):
    def __init__(
        self, name: str, path: str, source: bytes | ast.Module, names: Mapping[str, object]
    ) -> None:
        super().__init__(name, path)
        self._source, self._names = source, names

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._source, self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(self._names)
        super().exec_module(module)


@contextmanager
def counting_lines(
    files: Mapping[str, bytes],
) -> Iterator[Callable[[], frozenset[tuple[str, int]]]]:
    """Import the modules so that they note which statements of functions they execute.

    The function returns the first lines of those since it was last called, by file.
    """
    executed: set[tuple[str, int]] = set()

    def take() -> frozenset[tuple[str, int]]:
        taken = frozenset(executed)
        executed.clear()
        return taken

    trees = {file: _Noting(file).visit(ast.parse(source)) for file, source in files.items()}
    changed = {file: ast.fix_missing_locations(tree) for file, tree in trees.items()}
    with imported_again(changed, **{_EXECUTED: executed.add}):
        yield take


class _Noting(ast.NodeTransformer):
    def __init__(self, file: str) -> None:
        self._file = file
        self._depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def _function(self, node: Any) -> ast.AST:
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1
        return node  # type: ignore[no-any-return]

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody") if self._depth else ():
            block = getattr(node, name, None)
            if isinstance(block, list):
                setattr(node, name, [each for stmt in block for each in (self._note(stmt), stmt)])
        return node

    def _note(self, stmt: ast.stmt) -> ast.stmt:
        place = ast.Tuple([ast.Constant(self._file), ast.Constant(stmt.lineno)], ast.Load())
        note = ast.Call(ast.Name(_EXECUTED, ast.Load()), [place], [])
        return ast.copy_location(ast.Expr(note), stmt)
