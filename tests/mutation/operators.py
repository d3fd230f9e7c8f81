"""The operators: what small mistakes are made, and in which nodes of a syntax tree.

An operator is a function from a node to texts, each with the node that it replaces, or the first
and last of several. What is dropped from a call, a list or a dictionary leaves an empty unpacking,
so that its place is the only one that changes. Code without behaviour gets no mutants: imports,
annotations, docstrings, decorators, protocols, type aliases, and strings with blanks, which are
messages for people.
"""

import ast
from collections.abc import Callable, Iterator

Change = tuple[ast.AST | tuple[ast.AST, ast.AST], str]
Operator = Callable[[ast.AST], Iterator[Change]]

_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
_CALCULATED: dict[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "//", ast.Div: "*", ast.FloorDiv: "*", ast.BitOr: "&",
    ast.BitAnd: "|",
}  # fmt: skip
_SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.Delete, ast.Continue, ast.Break, ast.Raise)


def _text(node: ast.AST) -> str:
    return ast.unparse(node)


def _comparison(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = _text(node.left), _text(node.comparators[0])
        yield node, f"({left} {_COMPARED[type(node.ops[0])]} {right})"


def _condition(node: ast.AST) -> Iterator[Change]:
    tests = node.ifs if isinstance(node, ast.comprehension) else [getattr(node, "test", None)]
    for test in tests:
        if test is not None and not isinstance(node, ast.Assert):
            yield test, f"(not ({_text(test)}))"


def _branch(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.If | ast.IfExp):
        yield node.test, "False"
    elif isinstance(node, ast.comprehension):
        yield from ((test, "True") for test in node.ifs)


def _boolean(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, str(not node.value)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, f"bool({_text(node.operand)})"
    elif isinstance(node, ast.BoolOp):
        word = " or " if isinstance(node.op, ast.And) else " and "
        yield node, f"({word.join(f'({_text(value)})' for value in node.values)})"


def _number(node: ast.AST) -> Iterator[Change]:
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield node, repr(value + 1)


def _arithmetic(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.BinOp) and type(node.op) in _CALCULATED:
        yield node, f"({_text(node.left)} {_CALCULATED[type(node.op)]} {_text(node.right)})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield node, f"({_text(node.operand)})"


def _keys(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Dict):
        return [key for key in node.keys if key is not None]
    if isinstance(node, ast.Subscript):
        return [node.slice]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        place = {"get": 0, "pop": 0, "string": 1, "object_": 1, "objects": 1, "integer": 1}
        return node.args[place[name] :][:1] if name in place else []
    return []


def _spoilt(value: object) -> str:
    """Another string or bytes; empty for other values, and for messages for people."""
    if isinstance(value, bytes):
        return repr(value[:-1] if len(value) > 1 else value + b"~")
    if isinstance(value, str) and " " not in value.strip():
        return repr(value + "~")
    return ""


def _key(node: ast.AST) -> Iterator[Change]:
    for key in _keys(node):
        if isinstance(key, ast.Constant) and (spoilt := _spoilt(key.value)):
            yield key, spoilt


def _values(node: ast.AST) -> Iterator[ast.AST | None]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from (*node.args.defaults, *node.args.kw_defaults)
    elif isinstance(node, ast.AnnAssign):
        yield node.value
    else:
        yield from ast.iter_child_nodes(node)


def _string(node: ast.AST) -> Iterator[Change]:
    keys = _keys(node)
    for child in _values(node):
        if isinstance(child, ast.Constant) and child not in keys and (new := _spoilt(child.value)):
            yield child, new


def _statement(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, _SIMPLE):
        yield node, "pass"


def _return(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Return) and node.value and ast.unparse(node.value) != "None":
        yield node, "return None"


def _argument(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Call):
        if node.args:
            yield node.args[-1], "*()"
        yield from ((keyword, "**{}") for keyword in node.keywords if keyword.arg)


def _entry(node: ast.AST) -> Iterator[Change]:
    """Entries whose key or value is no string that another operator spoils."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                yield value, "{}"
            elif not isinstance(key, ast.Constant):
                yield (key, value), "**{}"
    elif isinstance(node, ast.List | ast.Set | ast.Tuple) and not _is_target(node):
        yield from ((each, "*()") for each in node.elts if not isinstance(each, ast.Constant))


def _is_target(node: ast.AST) -> bool:
    return not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)


OPERATORS: dict[str, Operator] = {
    "comparison swapped": _comparison,
    "condition negated": _condition,
    "branch dropped": _branch,
    "boolean negated": _boolean,
    "number changed": _number,
    "arithmetic swapped": _arithmetic,
    "key spoilt": _key,
    "string spoilt": _string,
    "statement deleted": _statement,
    "return emptied": _return,
    "argument dropped": _argument,
    "entry dropped": _entry,
}
"""The operators by name."""
