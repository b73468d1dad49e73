"""Reads, writes and liveness of one function."""

from __future__ import annotations

import ast
import textwrap

import pytest

from jaxfix._analysis.flow import (
    Flow,
    bound_before,
    definitely_writes,
    exits,
    free_names,
    late_binding,
    live_after,
    live_in,
    mutations,
    reads,
    scope_names,
    uses_before_definite_write,
    writes,
)


def stmts(text: str) -> list[ast.stmt]:
    return ast.parse(textwrap.dedent(text)).body


def function(text: str) -> ast.FunctionDef:
    node = stmts(text)[0]
    assert isinstance(node, ast.FunctionDef)
    return node


def find(node: ast.AST, text: str) -> ast.stmt:
    """The statement whose first line is `text`."""
    for one in ast.walk(node):
        if isinstance(one, ast.stmt) and ast.unparse(one).splitlines()[0] == text:
            return one
    raise AssertionError(f"no statement {text!r}")


@pytest.mark.parametrize(
    ("text", "read", "written"),
    [
        ("a = b + c", "b c", "a"),
        ("a, (b, *c) = d", "d", "a b c"),
        ("a += b", "a b", "a"),
        ("a: int = b", "b", "a"),
        ("a: int", "", ""),
        ("x[i] = v", "x i v", ""),
        ("x.a[i] += v", "x i v", ""),
        ("for i, j in xs: y = i", "xs i", "i j y"),
        ("with open(p) as f, g: pass", "open p g", "f"),
        ("if (n := f(x)) > 0: y = n", "f x n", "n y"),
        ("y = [i * a for i in xs if (last := i)]", "a xs", "y last"),
        ("y = [i for i in i]", "i", "y"),
        ("y = {k: v for k, v in d.items() for w in v}", "d", "y"),
        ("import a.b, c as d", "", "a d"),
        ("from m import *", "", ""),
        ("def f(x, y=a): z = x + b; return z", "a b", "f"),
        ("g = lambda x: x + a", "a", "g"),
        ("def f():\n  nonlocal n\n  n = 1", "n", "f"),
        ("def f():\n  global n\n  n = n + 1", "", "f"),
        ("class C(B):\n  y = a\n  def m(self): return y, b", "B a y b", "C"),
        ("try: a = 1\nexcept E as e: b = e", "E e", "a e b"),
        ("del x", "", "x"),
        ("y = a if b else c", "a b c", "y"),
        ("y = {a: b, **c}", "a b c", "y"),
        (
            "match v:\n  case [a, *rest]: pass\n  case {'k': K.x, **more}: pass"
            "\n  case P(q=b) as whole: pass",
            "v K P",
            "a rest more b whole",
        ),
    ],
)
def test_reads_and_writes(text, read, written):
    assert reads(stmts(text)) == tuple(read.split())
    assert writes(stmts(text)) == tuple(written.split())


def test_synthesised_statements_have_no_positions():
    made = ast.If(ast.Name("c", ast.Load()), stmts("x = y"), [ast.Pass()])
    assert reads([made]) == ("c", "y")
    assert writes(made) == ("x",)
    assert live_in([made], frozenset({"x"})) == {"c", "x", "y"}


def test_free_names_are_those_that_a_call_looks_up():
    outer = function(
        "def f(x):\n  def g(y): return lambda z: x + y + z + w\n  return g"
    )
    assert free_names(outer) == ("w",)
    inner = outer.body[0]
    assert isinstance(inner, ast.FunctionDef)
    assert free_names(inner) == ("x", "w")


def test_mutations():
    text = """
    x[i] = v
    self.a.b += 1
    xs.append(v)
    self.cache[k].update(d)
    updates, state = optimizer.update(g, state)
    y = y.at[i].add(v)
    del d[k]
    for o.i in xs: pass
    last = xs.pop()
    seen.add(1)
    def later(): q.append(1)
    """
    bases = [base for base, _ in mutations(stmts(text))]
    assert bases == ["x", "self", "xs", "self", "d", "o", "xs", "seen"]
    assert mutations(stmts("a.push(1)"), methods=frozenset({"push"}))[0][0] == "a"


@pytest.mark.parametrize(
    ("text", "exposed", "definite"),
    [
        ("x = 1\ny = x", "", "x y"),
        ("if c: x = 1\ny = x", "c x", "y"),
        ("if c: x = 1\nelse: x = 2\ny = x", "c", "x y"),
        ("if c: return\nelse: x = 2\ny = x", "c", "x y"),
        ("for i in xs: y = i\nz = y", "xs y", "z"),
        ("while True:\n  x = f()\n  if x: break\ny = x", "f", "x y"),
        ("while (n := f()): pass\ny = n", "f", "n y"),
        ("while c:\n  s = s + t\n  t = 1", "c s t", ""),
        ("(a := f()) and (b := g(a))\ny = b", "f b g", "a y"),
        ("try:\n  x = f()\nexcept E:\n  x = 0\ny = x", "f E", "x y"),
        ("try:\n  x = f()\nexcept E:\n  pass\ny = x", "x f E", "y"),
        ("try:\n  x = f()\nfinally:\n  z = 1\ny = x", "f", "x z y"),
        ("with suppress(E):\n  x = f()\ny = x", "suppress E x f", "y"),
        ("with scope():\n  x = f()\ny = x", "scope f", "x y"),
        ("match v:\n  case 0: x = 1\n  case n: x = n\ny = x", "v", "x y"),
        ("match v:\n  case 0: x = 1\ny = x", "v x", "y"),
        ("x = 1\ndel x", "", ""),
        ("def f(): return g()\nx = f()", "g", "f x"),
        ("return x", "x", ""),
        ("x += 1", "x", "x"),
    ],
)
def test_exposed_and_definite(text, exposed, definite):
    body = stmts("def f():\n" + textwrap.indent(text, "  "))[0].body
    assert uses_before_definite_write(body) == tuple(exposed.split())
    assert definitely_writes(body) == tuple(definite.split())


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("x = 1", "fall"),
        ("if a: return 1", "fall return"),
        ("if a: return 1\nelse: raise E", "return raise"),
        ("return 1\nbreak", "return"),
        ("while True:\n  if a: return 1", "return"),
        ("while True:\n  if a: break", "fall"),
        ("for i in x:\n  if a: continue\n  return", "fall return"),
        ("for i in x: break\nelse: return", "fall return"),
        ("if a: break\nelif b: continue", "break continue fall"),
        ("try: return 1\nfinally: x = 1", "return"),
        ("try: x = 1\nfinally: return 2", "return"),
        ("try: return 1\nexcept E: x = 1", "return fall"),
        ("with a: return", "return"),
        ("match v:\n  case 0: return\n  case _: raise E", "return raise"),
        ("match v:\n  case 0: return", "return fall"),
        ("def g(): return 1", "fall"),
    ],
)
def test_exits(text, ways):
    body = ast.parse("for _ in y:\n" + textwrap.indent(text, " ")).body[0].body
    assert exits(body) == set(ways.split())


@pytest.mark.parametrize(
    ("text", "at", "live"),
    [
        ("def f(x):\n  y = x\n  if x: y = 2\n  return y", "y = 2", "y"),
        ("def f(x):\n  y = x\n  if x: y = 2\n  return y", "y = x", "x y"),
        ("def f(x):\n  y = x\n  if x: y = 2\n  return x", "if x:", "x"),
        ("def f(x):\n  for i in x: s = s + i\n  return s", "s = s + i", "s"),
        (
            "def f(x):\n  while x:\n    y = x\n    if y: break\n    x = 1\n  return y",
            "y = x",
            "y",
        ),
        (
            "def f(x):\n  while x:\n    if x: continue\n    a = 1; x = a\n  return 1",
            "x = a",
            "x",
        ),
        ("def f():\n  global g\n  g = 1\n  h = 2", "h = 2", "g"),
        (
            "def f(x):\n  def g(): return x\n  x = 2\n  y = 3\n  return g()",
            "y = 3",
            "g x",
        ),
        (
            "def f(x):\n  g = jax.jit(lambda: x)\n  x = 2\n  return g()",
            "x = 2",
            "g x",
        ),
        (
            "def f(x):\n  gs = []\n  gs.append(lambda: x)\n  x = 2\n  return gs",
            "x = 2",
            "gs x",
        ),
        (
            "def f(x):\n  def g(): return x\n  def h(): g()\n  x = 2\n  return h",
            "x = 2",
            "h g x",
        ),
        (
            "def f(x):\n  n = 0\n  def g():\n    nonlocal n\n    n += 1\n  n = 1",
            "n = 1",
            "n",
        ),
        ("def f(x):\n  try:\n    y = x\n  except E:\n    return x", "y = x", ""),
        (
            "def f(x):\n  try:\n    y = x\n    g()\n  except E:\n    return x",
            "y = x",
            "g E x",
        ),
        (
            "def f(x):\n  try:\n    return 1\n  finally:\n    y = x\n    g(y)",
            "y = x",
            "g y",
        ),
        (
            "def f(x):\n  try:\n    x = 2\n    y = 1\n  finally:\n    g(x)",
            "y = 1",
            "g x",
        ),
    ],
)
def test_live_after(text, at, live):
    node = function(text)
    assert live_after(node, find(node, at)) == set(live.split())


def test_break_and_continue_of_a_fragment_go_where_the_caller_says():
    body = ast.parse("for _ in y:\n if a: break\n if b: continue\n x = 1").body[0].body
    live = live_in(
        body,
        frozenset({"x"}),
        on_break=frozenset({"p"}),
        on_continue=frozenset({"q"}),
    )
    assert live == {"a", "b", "p", "q"}


@pytest.mark.parametrize(
    ("text", "at", "bound"),
    [
        ("def f(x, *a, k=1, **d):\n  y = 1", "y = 1", "x a k d"),
        ("def f(x):\n  if x: y = 1\n  z = 1", "z = 1", "x"),
        ("def f(x):\n  for i in x:\n    y = 1\n  z = 1", "y = 1", "x i"),
        ("def f(x):\n  for i in x:\n    y = 1\n  z = 1", "z = 1", "x"),
        ("def f(x):\n  try:\n    y = g()\n  finally:\n    z = 1", "z = 1", "x"),
        ("def f(x):\n  try: y = g()\n  except E as e:\n    z = 1", "z = 1", "x e"),
        ("def f(x):\n  while x:\n    del x\n    y = 1", "y = 1", ""),
        ("def f(x):\n  return x\n  y = 1", "y = 1", ""),
    ],
)
def test_bound_before(text, at, bound):
    node = function(text)
    assert bound_before(node, find(node, at)) == set(bound.split())


def test_a_statement_of_another_function_is_refused():
    node = function("def f(x):\n  def g():\n    return 1\n  return g")
    with pytest.raises(ValueError, match="a statement of the function itself"):
        Flow(node).live_after(find(node, "return 1"))


@pytest.mark.parametrize(
    ("text", "name", "count"),
    [
        ("def f(xs):\n  for i in xs:\n    fs.append(lambda: i)", "i", 1),
        ("def f(xs):\n  for i in xs:\n    fs.append(lambda i=i: i)", "i", 0),
        ("def f(x):\n  g = lambda: x\n  x = 1", "x", 1),
        ("def f(x):\n  x = 1\n  g = lambda: x", "x", 0),
        ("def f(x):\n  def g(): return x\n  if x:\n    x = 2", "x", 1),
        ("def f(x):\n  def g(n): return g(n - 1)\n  return g(x)", "g", 0),
        ("def f(x):\n  g = (x for _ in y)\n  x = 2", "x", 1),
        ("def f(x):\n  while x:\n    def g(): return x\n    x = g()", "x", 1),
    ],
)
def test_late_binding(text, name, count):
    assert len(late_binding(function(text), name)) == count


def test_scope_names_are_all_names():
    node = function("def f(a):\n  import b.c\n  def d(e): return g\n  global h")
    assert scope_names(node) == {"f", "a", "b", "d", "e", "g", "h"}
