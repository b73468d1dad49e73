"""New source from a module, its tree and registered edits."""

from __future__ import annotations

import ast
import collections
import io
import re
import sys
import textwrap
import tokenize
from pathlib import Path

import pytest

from jaxfix._analysis import build
from jaxfix._analysis.finding import CannotFix
from jaxfix._rewriting.lines import one_line, wrap
from jaxfix._rewriting.spelling import level_of_text, spell
from jaxfix._rewriting.write import Writer

CASES = Path(__file__).parents[2] / "shared" / "cases"


def writer(text: str) -> Writer:
    text = textwrap.dedent(text)
    return Writer(text, ast.parse(text))


def find(write: Writer, kind: type, index: int = 0):
    """The node of this kind that comes first in the source, or one after it."""
    nodes = [node for node in ast.walk(write.tree) if isinstance(node, kind)]
    return sorted(nodes, key=lambda n: (n.lineno, n.col_offset))[index]


def comments(text: str) -> collections.Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return collections.Counter(t.string for t in tokens if t.type == tokenize.COMMENT)


def ifs_to_functions(write: Writer) -> str:
    """Every `if` with its body in a function, which it calls."""

    def outlined(stmt: ast.If):
        name = write.fresh("body", write.tree)
        return [
            *write.function(
                name, [], write.statements(stmt.body), branch=(stmt, "body")
            ),
            *write.compound(stmt, {"body": write.parse(f"{name}()")}),
        ]

    for node in ast.walk(write.tree):
        if isinstance(node, ast.If):
            write.replace_statement(node, lambda node=node: outlined(node))
    return write.code()


EVERYTHING = '''\
# /// script
# ///
"""Doc."""
import os, sys  # two

# above
@first(1)  # why
@second
def f(a, b=(1,
            2)):  # header
    "doc"
    x = 1; y = 2  # small

    # lead
    if a:  # yes
        # in
        z = """
  kept
"""
        # foot
    # before elif
    elif b: z = "ü" + (c :=
        d)
    # before else
    else:  # no
        z = g(
            a,  # each
            b,
        )

    try:  # try
        pass
    except (A,
            B) as e:  # except
        if e: return  # one line
    # before finally
    finally:  # finally
        for i in x: print(i); continue
    match a:  # match
        case [1, *_] if b:  # case
            x = lambda: 1
        # last
    return \\
        x


\tclass_ = 1
'''.replace("\n\n\tclass_", "\nclass_")
TABS = "if a:\n\tif b:\n\t\tx = f(1,\n\t\t\t2)  # t\n\ty = 1\n"
TWO = "def f():\n  if a:  # c\n    x = 1\n    # end\n  return x\n"


@pytest.mark.parametrize("text", [EVERYTHING, TABS, TWO, "", "\n", "# only\n", "x = 1"])
def test_no_edits_change_nothing(text):
    write = Writer(text, ast.parse(text))
    assert write.code() == text
    assert not write.changed()


@pytest.mark.parametrize("text", [EVERYTHING, TABS, TWO])
def test_an_edit_in_every_statement_that_says_the_same_changes_nothing(text):
    write = Writer(text, ast.parse(text))
    for node in ast.walk(write.tree):
        if isinstance(node, ast.Name):
            write.edit(node, node.id)
    assert write.code() == text


@pytest.mark.parametrize("text", [EVERYTHING, TABS, TWO])
def test_moved_blocks_keep_their_comments(text):
    after = ifs_to_functions(Writer(text, ast.parse(text)))
    ast.parse(after)
    assert not comments(text) - comments(after)


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not here")
def test_moved_blocks_of_all_cases_keep_their_comments():
    for path in sorted(CASES.rglob("*.py")):
        text = path.read_text()
        write = Writer(text, ast.parse(text))
        assert write.code() == text
        after = ifs_to_functions(write)
        ast.parse(after)
        assert not comments(text) - comments(after), path


def test_branches_become_functions():
    write = writer(
        """\
        from jax import lax


        def f(x, rate):
            y = x
            # decide
            if x > 0:  # above
                y = x * rate  # knee
                # end of it
            # otherwise
            else:  # below

                y = -x
            return y
        """
    )
    stmt = find(write, ast.If)

    def cond():
        name = write.name("jax.lax.cond", find(write, ast.FunctionDef))
        give = write.parse("return y")
        return [
            *write.function(
                "true_branch",
                ["y"],
                [*write.statements(stmt.body), *give],
                branch=(stmt, "body"),
            ),
            *write.function(
                "false_branch",
                ["y"],
                [*write.statements(stmt.orelse), *give],
                branch=(stmt, "orelse"),
            ),
            *write.parse(f"y = {name}({write.expr(stmt.test)}, true_branch, y)"),
        ]

    write.replace_statement(stmt, cond)
    assert write.code() == textwrap.dedent(
        """\
        from jax import lax


        def f(x, rate):
            y = x

            # decide
            def true_branch(y):  # above
                y = x * rate  # knee
                # end of it
                return y

            # otherwise
            def false_branch(y):  # below
                y = -x
                return y

            y = lax.cond(x > 0, true_branch, y)
            return y
        """
    )


def test_a_function_that_is_first_or_last_in_its_block_has_no_blank_line_there():
    write = writer("def f():\n    a = 1\n")
    stmt = find(write, ast.Assign)
    body = write.function("g", ["x", "*args"], write.statement(stmt))
    write.replace_statement(stmt, body)
    assert write.code() == "def f():\n    def g(x, *args):\n        a = 1\n"


def test_edits_in_f_strings():
    text = """s = f"ä {f(x, 1):.3f} and {g()}" f'{h(x)}'\n"""
    write = writer(text)
    f, g, h = (find(write, ast.Call, index) for index in range(3))
    write.add_argument(f, "y")
    write.edit(g, lambda: f"{write.expr(g)} | m")
    write.edit(h.args[0], "z")
    assert write.code() == """s = f"ä {f(x, 1, y):.3f} and {g() | m}" f'{h(z)}'\n"""


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="f-strings hold anything")
def test_old_f_strings_hold_no_quotes():
    write = writer('s = f"{f(x)}"\n')
    write.edit(find(write, ast.Call), "g('x')")
    with pytest.raises(CannotFix, match="f-string"):
        write.code()


def test_nested_edits_compose():
    write = writer("y = f(g(x) + 1) * 2\n")
    outer, inner, name = find(write, ast.Call), find(write, ast.Call, 1), None
    name = next(n for n in ast.walk(inner) if isinstance(n, ast.Name) and n.id == "x")
    write.edit(name, "x_1")
    write.edit(outer, lambda: f"h({write.expr(outer)})")
    write.edit(inner, lambda: f"{write.expr(inner)} or z")
    write.edit(outer, lambda: f"{write.expr(outer)} + 0")
    assert write.code() == "y = (h(f((g(x_1) or z) + 1)) + 0) * 2\n"


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("y = x * 2", "a + b", "y = (a + b) * 2"),
        ("y = (x) * 2", "a + b", "y = (a + b) * 2"),
        ("y = 2 ** x", "-a", "y = 2 ** -a"),
        ("y = x ** 2", "-a", "y = (-a) ** 2"),
        ("y = f(x)", "a, b", "y = f((a, b))"),
        ("y = x", "a, b", "y = a, b"),
        ("y = x.real", "a or b", "y = (a or b).real"),
        ("y = not x", "a and b", "y = not (a and b)"),
        ("y = a - x", "b - c", "y = a - (b - c)"),
        ("y = [i for i in x]", "a if b else c", "y = [i for i in (a if b else c)]"),
        ("if x: pass", "a and b", "if a and b: pass"),
        ("while(x): pass", "a", "while(a): pass"),
        ("for i in x: pass", "a, b", "for i in (a, b): pass"),
        ("y = x[0]", "lambda: 1", "y = (lambda: 1)[0]"),
    ],
)
def test_parentheses_where_precedence_demands(before, text, after):
    write = writer(before + "\n")
    node = next(n for n in ast.walk(write.tree) if getattr(n, "id", "") == "x")
    write.edit(node, text)
    assert write.code() == after + "\n"


@pytest.mark.parametrize(
    ("before", "added", "after"),
    [
        ("f()", ["a"], "f(a)"),
        ("f(x)", ["a", "k=1"], "f(x, a, k=1)"),
        ("f(x, k=1)", ["a"], "f(x, a, k=1)"),
        ("f(k=1)", ["a"], "f(a, k=1)"),
        ("f((x), **d)", ["k=1", "a"], "f((x), a, **d, k=1)"),
        ("f(x for x in y)", ["a"], "f((x for x in y), a)"),
        ("f(x == y)", ["a == b"], "f(x == y, a == b)"),
        ("f(\n    x,  # c\n)", ["a"], "f(\n    x,\n    a,  # c\n)"),
    ],
)
def test_add_argument(before, added, after):
    write = writer(before + "\n")
    for text in added:
        write.add_argument(find(write, ast.Call), text)
    assert write.code() == after + "\n"


@pytest.mark.parametrize(
    ("before", "first", "added", "after"),
    [
        ("f()", ["a", "b"], [], "f(a, b)"),
        ("f()", ["a"], ["c"], "f(a, c)"),
        ("f(x, k=1)", ["a", "b"], ["c"], "f(a, b, x, c, k=1)"),
        ("f(*x, **d)", ["a"], [], "f(a, *x, **d)"),
        ("f(x for x in y)", ["a"], [], "f(a, (x for x in y))"),
        ("f(x for x in y)", ["a"], ["c"], "f(a, (x for x in y), c)"),
    ],
)
def test_put_first(before, first, added, after):
    write = writer(before + "\n")
    for text in first:
        write.put_first(find(write, ast.Call), text)
    for text in added:
        write.add_argument(find(write, ast.Call), text)
    assert write.code() == after + "\n"


@pytest.mark.parametrize(
    ("before", "removed", "after"),
    [
        ("f(a)", [0], "f()"),
        ("f(a, b, c)", [0], "f(b, c)"),
        ("f(a, (b), k=c)", [1], "f(a, k=c)"),
        ("f(a, b, k=c)", [1, 2], "f(a)"),
        ("f(a, b, k=c)", [0, 1], "f(k=c)"),
        ("f(a, b,)", [0, 1], "f()"),
    ],
)
def test_remove_argument(before, removed, after):
    write = writer(before + "\n")
    call = find(write, ast.Call)
    arguments = [*call.args, *call.keywords]
    for index in removed:
        write.remove_argument(call, arguments[index])
    assert write.code() == after + "\n"


@pytest.mark.parametrize(
    ("before", "added", "keyword_only", "after"),
    [
        ("", "a", False, "a"),
        ("x", "a", False, "x, a"),
        ("x, y=1", "a", False, "x, a, y=1"),
        ("x, y=1", "a=2", False, "x, y=1, a=2"),
        ("x, *args, **kw", "a: int", False, "x, a: int, *args, **kw"),
        ("x, /", "a", False, "x, /, a"),
        ("x=1, /", "a", False, "a, x=1, /"),
        ("x", "a", True, "x, *, a"),
        ("x, *args, k, **kw", "a", True, "x, *args, k, a, **kw"),
        ("x, **kw", "a", True, "x, *, a, **kw"),
        ("\n    x,\n    y,\n", "a", False, "\n    x,\n    y,\n    a,\n"),
        ("\n    x,\n", "a", True, "\n    x,\n    *, a,\n"),
    ],
)
def test_add_parameter(before, added, keyword_only, after):
    write = writer(f"def f({before}):  # c\n    pass\n")
    function = find(write, ast.FunctionDef)
    write.add_parameter(function, added, keyword_only=keyword_only)
    assert write.code() == f"def f({after}):  # c\n    pass\n"


def test_decorators_are_replaced_and_removed():
    write = writer("@a  # why\n# between\n@b(1)\ndef f(): pass\n")
    first, second = find(write, ast.FunctionDef).decorator_list
    write.replace_decorator(first, "partial(a, k=1)")
    write.replace_decorator(second, "")
    assert write.code() == "@partial(a, k=1)  # why\ndef f(): pass\n"


def test_statements_are_inserted_and_removed():
    write = writer(
        """\
        def f():
            # about a
            a = 1; b = 2  # end
            if a:  # if
                c = 3
                # foot
            return a
        """
    )
    write.remove(find(write, ast.Assign, 2))
    write.insert_before(find(write, ast.Assign), write.parse("z = 0"))
    write.insert_after(find(write, ast.Return), write.parse("# after\nd = 4"))
    assert write.code() == textwrap.dedent(
        """\
        def f():
            z = 0
            # about a
            a = 1
            b = 2  # end
            if a:  # if
                pass
                # foot
            return a
            # after
            d = 4
        """
    )


def test_new_text_gets_the_indentation_of_the_module():
    write = Writer(TABS, ast.parse(TABS))
    write.insert_before(find(write, ast.Assign), write.parse("if c:\n    z = 1"))
    assert write.code() == TABS.replace("\t\tx", "\t\tif c:\n\t\t\tz = 1\n\t\tx")


def test_compound_replaces_blocks_and_keeps_headers():
    write = Writer(EVERYTHING, ast.parse(EVERYTHING))
    stmt = find(write, ast.Try)
    new = write.parse("new = 1")
    blocks = {"body": new, "handlers.0": new, "finalbody": new}
    write.replace_statement(stmt, lambda: write.compound(stmt, blocks))
    match = find(write, ast.Match)
    write.replace_statement(match, lambda: write.compound(match, {"cases.0": new}))
    after = write.code()
    assert after.count("        new = 1\n") == 4
    assert set(comments(EVERYTHING)) - set(comments(after)) == {"# one line"}
    assert write.header_comments(stmt) == {
        "body": "# try",
        "handlers.0": "# except",
        "finalbody": "# finally",
    }


def test_new_trees_are_spelled_with_original_parts_and_comments():
    write = writer(
        """\
        def f(x):
            # lead
            if x  >  0:  # why
                return x**2 , 'q'  # pair
            return -x
        """
    )
    stmt, pair = find(write, ast.If), find(write, ast.Return)
    target = ast.Name("out", ast.Store())
    new = ast.If(
        test=ast.UnaryOp(
            ast.Not(), ast.BoolOp(ast.Or(), [stmt.test, ast.Name("done")])
        ),
        body=[ast.Assign([target], pair.value), ast.Pass()],
        orelse=[ast.Return(ast.Tuple([ast.Constant("a"), ast.Constant(1.5)]))],
    )
    text = write._module.with_changes(body=write.statement(new, like=stmt), header=[])
    assert text.code == textwrap.dedent(
        """\
        # lead
        if not (x  >  0 or done):  # why
            out = x**2 , 'q'
            pass
        else:
            return "a", 1.5
        """
    )
    made = ast.Assign([target], ast.Constant(None))
    line = write._module.with_changes(body=write.statement(made, like=pair))
    assert line.code == "out = None  # pair\n"


REGION = """\
def f(x, rate):
    y = x  # start

    # decide
    if x > 0:  # above
        # scaled
        y = x * rate  # knee
    # otherwise
    else:  # below
        y = -x  # neg
        # end
    with a:  # with
        if x > 1:  # early
            pass  # one
        # tail
    # last words
    return y  # out
    # foot
"""


def region(make) -> str:
    """`REGION` with the body that `make` makes of the old one, twice the same."""
    write = writer(REGION)
    function = write.tree.body[0]

    def new():
        return write.compound(
            function, {"body": write.statements(make(*function.body))}
        )

    write.replace_statement(function, new)
    after = write.code()
    assert write.code() == after
    assert comments(after) == comments(REGION)
    return after


def test_comments_of_what_is_gone_go_before_what_is_made_of_it():
    def make(start, choice, scope, end):
        sides = [choice.body[0].value, choice.orelse[0].value]
        value = ast.Call(ast.Name("where"), [choice.test, *sides], [])
        made = ast.Assign([ast.Name("y", ast.Store())], value)
        return [start, made, ast.Return(ast.Tuple([end.value, scope.body[0].test]))]

    assert region(make) == textwrap.dedent(
        """\
        def f(x, rate):
            y = x  # start

            # decide
            # above
            # scaled
            # knee
            # otherwise
            # below
            # neg
            # end
            y = where(x > 0, x * rate, -x)
            # with
            # early
            # one
            # tail
            # last words
            # out
            # foot
            return y, x > 1
        """
    )


def test_comments_of_branches_go_to_the_arms_made_of_them():
    def make(start, choice, scope, end):
        sides = [choice.body[0].value, choice.orelse[0].value]
        value = build.branching("where", choice.test, *sides)
        made = ast.Assign([ast.Name("y", ast.Store())], value)
        return [start, made, ast.Return(ast.Tuple([end.value, scope.body[0].test]))]

    assert region(make).startswith(
        textwrap.dedent(
            """\
            def f(x, rate):
                y = x  # start

                # decide
                # above
                y = where(
                    x > 0,
                    # scaled
                    x * rate,  # knee
                    # otherwise
                    # below
                    # end
                    -x,  # neg
                )
                # with
            """
        )
    )


def test_comments_of_branches_go_to_the_functions_made_of_them():
    def function(name, body):
        parameters = ast.arguments([], [ast.arg("y")], None, [], [], None, [])
        return ast.FunctionDef(name, parameters, body, [], None)

    def make(start, choice, scope, end):
        functions = [function("t", choice.body), function("e", choice.orelse)]
        call = ast.Call(ast.Name("cond"), [choice.test, ast.Name("t")], [])
        copy = ast.With(scope.items, [ast.Pass()])
        copy.origin = scope
        return [start, *functions, ast.Expr(call), copy, end]

    assert region(make) == textwrap.dedent(
        """\
        def f(x, rate):
            y = x  # start

            # decide
            def t(y):
                # scaled
                y = x * rate  # knee

            # otherwise
            def e(y):  # below
                y = -x  # neg
                # end

            # above
            cond(x > 0, t)
            with a:  # with
                pass
            # early
            # one
            # tail
            # last words
            return y  # out
            # foot
        """
    )


def test_the_only_comment_stays_behind_its_statement():
    write = writer("def f(x):\n    y = x  # why\n\n    return y\n")
    function = write.tree.body[0]
    old, end = function.body
    new = ast.Assign([ast.Name("z", ast.Store())], old.value)
    body = [new, ast.Return(end.value)]
    write.replace_statement(
        function, lambda: write.compound(function, {"body": write.statements(body)})
    )
    assert write.code() == "def f(x):\n    z = x  # why\n\n    return y\n"


def test_expressions_over_lines_come_as_one_or_in_parentheses():
    write = writer(
        """\
        a = (x +
             y)
        b = (x +  # why
             y)
        c = f(x,
              y)
        d = f(
            x,
        )
        """
    )
    texts = [write.expr(stmt.value) for stmt in write.tree.body]
    assert texts == [
        "x + y",
        "(x +  # why\n     y)",
        "f(x, y)",
        "f(\n    x,\n)",
    ]


def test_fresh_names_avoid_everything_in_and_around():
    write = writer(
        """\
        carry = 1
        def f(body):
            def g(): return body_1
            return g
        """
    )
    inner = find(write, ast.FunctionDef, 1)
    assert write.fresh("carry", inner) == "carry_1"
    assert write.fresh("body", inner) == "body_2"
    assert write.fresh("body", find(write, ast.FunctionDef)) == "body_3"
    assert write.fresh("list", inner) == "list_1"
    assert write.fresh("lambda", inner) == "lambda_1"
    assert write.fresh("step", inner) == "step"


@pytest.mark.parametrize(
    ("header", "dotted", "spelled", "after"),
    [
        ("import jax", "jax.lax.cond", "jax.lax.cond", "import jax"),
        ("from jax import lax", "jax.lax.cond", "lax.cond", "from jax import lax"),
        (
            "from jax.lax import cond",
            "jax.lax.cond",
            "cond",
            "from jax.lax import cond",
        ),
        (
            "import jax.numpy as np",
            "jax.numpy.where",
            "np.where",
            "import jax.numpy as np",
        ),
        (
            "import jax\nfrom jax import lax",
            "jax.lax.scan",
            "lax.scan",
            "import jax\nfrom jax import lax",
        ),
        (
            "import jax",
            "functools.partial",
            "functools.partial",
            "import functools\n\nimport jax",
        ),
        (
            "import jax.numpy as jnp",
            "jax.lax.cond",
            "lax.cond",
            "import jax.numpy as jnp\nfrom jax import lax",
        ),
        (
            "# /// x\n# ///\n'''Doc.'''\n\nfrom __future__ import annotations",
            "jax.numpy.sum",
            "jnp.sum",
            "# /// x\n# ///\n'''Doc.'''\n\nfrom __future__ import annotations\n\n"
            "import jax.numpy as jnp",
        ),
        (
            "import os\nimport sys\n\nimport zlib_ng",
            "numpy.sum",
            "np.sum",
            "import os\nimport sys\n\nimport numpy as np\nimport zlib_ng",
        ),
        (
            "import os\nos.environ['X'] = '1'\nfrom jax import lax",
            "jax.numpy.sum",
            "jnp.sum",
            "import os\nos.environ['X'] = '1'\nimport jax.numpy as jnp\n"
            "from jax import lax",
        ),
        ("'''Doc.'''", "jax.jit", "jax.jit", "'''Doc.'''\n\nimport jax"),
        ("# comment", "jax.jit", "jax.jit", "# comment\n\nimport jax"),
        (
            "from jax import Array, jit  # why",
            "jax.lax.cond",
            "lax.cond",
            "from jax import Array, jit, lax  # why",
        ),
        (
            "from jax import (\n    grad,\n    vmap,\n)",
            "jax.lax.cond",
            "lax.cond",
            "from jax import (\n    grad,\n    lax,\n    vmap,\n)",
        ),
        (
            "from jax import numpy",
            "jax.lax.cond",
            "lax.cond",
            "from jax import lax, numpy",
        ),
        (
            "from jax import numpy as jnp",
            "jax.lax.cond",
            "lax.cond",
            "from jax import lax\nfrom jax import numpy as jnp",
        ),
        (
            "try:\n    import jax\nexcept ImportError:\n    jax = None",
            "jax.jit",
            "jax.jit",
            "try:\n    import jax\nexcept ImportError:\n    jax = None",
        ),
    ],
)
def test_names_are_spelled_as_the_file_does(header, dotted, spelled, after):
    write = writer(f"{header}\n\n\ndef f():\n    pass\n")
    assert write.name(dotted) == spelled
    assert write.name(dotted, find(write, ast.FunctionDef)) == spelled
    assert write.code() == f"{after}\n\n\ndef f():\n    pass\n"


def test_names_that_a_function_shadows_are_not_used():
    write = writer("import jax\nfrom jax import lax\ndef f(lax):\n    return lax\n")
    function = find(write, ast.FunctionDef)
    assert write.name("jax.lax.cond", function) == "jax.lax.cond"
    assert write.name("jax.lax.cond") == "lax.cond"
    write = writer("def f():\n    import jax.numpy as jnp\n    return jnp.sum\n")
    assert write.name("jax.numpy.abs", find(write, ast.FunctionDef)) == "jnp.abs"


# As `ruff format` leaves them.
LONG = """\
x = aaaaaaaaaaaaaaaaaaaaaaa(
    bbbbbbbbbbbbbbbbbbbbbb(cccccccccccccccccccccc, ddddddddddd, eeee)
)
x = aaaaaaaaaaaaaaaaaaaaaaa_function(
    bbbbbbbbbbbbbbbbbbbbbbbbbbbbb(
        cccccccccccccccccccccccccccc, ddddddddddddddddddddddd, eeeeeeeeeeeeeeeeeee
    )
)
y = jnp.where(
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa > 1.0, jnp.where(bbbbbbbbbbbbbbbbbbbbbb, 1, 2), 3
)
z = (
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,
    bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,
    ccccccccccccccccccc,
    ddddd,
)
x = (
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    + bbbbbbbbbbbbbbbbbbbbbbb * f(ccccccc)
    + ddddddddddddddddd
)
f(
    aaaaaaaaaaaaaaaaaaaaaaaaaa,
    lambda a, b: a + b,
    key=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    + ccccccccccccccccccccccccccccccccccccccccccccccc
    + ddddddd,
    *rest,
)
xxxxxxxxxxxx = xxxxxxxxxxxx.at[
    iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii, jjjjjjjjjjjjjjjjj
].set(vvvvvvvvvv)
x = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb(
    cccccccccccccccccccccc, ddddddddddd
)
x = [
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_function_name_thing_of_some_kind(
        bbbbbbbbbbbbbbbbbbbbbbbbbb
    )
    for i in xxxxxxxxxxxxxx
    if cccccccccccccc
]
x = dict(
    (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa(kkkkkkkkkkk), bbbbbbbbbbbbbbbbb)
    for kkkkkkkkkkk, vvvvvvvvvvvv in xxxxxxxxxxxxxx.items()
)
x = (
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa(b)
    .bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb()
    .ccccccccc(d)
)
assert (
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    == bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
), "message of the assert"


def ffffffffffffffffffff(
    aaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbb, cccccccccc=1
) -> X:
    if (
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        and bbbbbbbbbbbbbbbbbbbbbbbb(cccc)
        and not dddddd
    ):
        return (
            aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,
            bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,
            ccccccccccccccccccc,
        )
"""


def on_long_lines(text: str) -> str:
    """Every statement on one line, without the brackets that only hold lines."""
    text = re.sub(r"(?<=[(\[])\n +", "", text)
    text = re.sub(r",?\n *(?=[)\]])", "", text)
    text = re.sub(r"(?<!:)\n +(?=[\w.+=*\"])", " ", text)
    return text.replace(" .", ".")


def test_long_lines():
    long = on_long_lines(LONG)
    assert sum(len(line) > 88 for line in long.splitlines()) == 15
    assert wrap(long, "") == LONG
    bare = re.sub(
        r"(= |return |if |assert )\((.*)\)(?=$|:|,)", r"\1\2", long, flags=re.M
    )
    assert bare != long
    assert wrap(bare, "") == LONG


def test_lines_that_were_long_before_stay():
    line = next(line for line in on_long_lines(LONG).splitlines() if len(line) > 88)
    assert wrap(f"if x:\n    {line}\n", f"{line}\n") == f"if x:\n    {line}\n"
    text = f"x = {'s' * 100!r}\n"
    assert wrap(text, "") == text


def test_a_comment_that_does_not_fit_goes_above():
    code, comment = f"x = {'a' * 60}", "# why this is so, in words"
    assert wrap(f"if y:\n    {code}  {comment}\n", "") == (
        f"if y:\n    {comment}\n    {code}\n"
    )
    call = f"f({', '.join(['argument'] * 10)})"
    assert wrap(f"{call}  {comment}\n", "").startswith(f"{comment}\nf(\n")
    pragma = f"{code}  # type: ignore[assignment, misc]\n"
    assert wrap(pragma, "") == pragma


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import jax\nimport numpy as np\n\n\n", "import jax\n\n\n"),
        ('"""Doc."""\n\nimport math as np\n\nimport a\n', '"""Doc."""\n\nimport a\n'),
        ("from functools import reduce as np\n\n", ""),
        ("# why\nimport numpy as np\n\n", None),
        ("import numpy as np  # noqa: F401\n", None),
        ("from scipy import special as np\n", None),
        ("import numpy as np\n__all__ = ['np']\n", None),
        ("import numpy as np, math\n", None),
    ],
)
def test_imports_without_a_use_go(before, after):
    write = writer(f"{before}x = np.zeros(3)\n")
    write.edit(find(write, ast.Attribute), "jnp.zeros")
    text = write.code()
    assert text == f"{before if after is None else after}x = jnp.zeros(3)\n"


def test_imports_that_had_no_use_stay():
    write = writer("import numpy as np\nx = y\n")
    write.edit(find(write, ast.Name, 1), "z")
    assert write.code() == "import numpy as np\nx = z\n"


def test_one_line():
    assert one_line("f(\n    a, b\n)") == "f(a, b)"
    assert one_line("f(\n    a,\n    b,\n)") is None
    assert one_line("f(  # c\n    a\n)") is None
    assert one_line("a +\n  b") == "a + b"
    assert one_line('"""a\nb"""') is None


@pytest.mark.parametrize(
    "text",
    [
        *("a + b * c", "(a + b) * c", "a - (b - c)", "-(a**b)", "(-a) ** b", "not a"),
        *("a if b else c", "(a if b else c) if d else e", "lambda x, *y, z=1, **k: x"),
        *("(lambda: 1)()", "a < b <= c", "(a < b) < c", "a and (b or c)", "(a, b)[0]"),
        *("[*a, b]", "{a: b, **c}", "{a, b}", "f(a, *b, k=c, **d)", "a[1:2, ::3]"),
        *("[x for y in z if w for x in y]", "(a := b)", "await_.x", "(1).real", "x[i]"),
        *(
            "{k: v for k, v in d}",
            "f(x for x in y)",
            'f"{a!r}"',
            "lambda a, /, *, b: 0",
        ),
    ],
)
def test_new_expressions_mean_what_they_are(text):
    node = ast.parse(text, mode="eval").body
    spelled = spell(node, lambda _: None)
    assert ast.dump(ast.parse(spelled, mode="eval").body) == ast.dump(node)


def test_the_level_of_a_text_sees_its_parentheses():
    assert level_of_text("(a, b)") > level_of_text("a, b") == level_of_text("(a), (b)")
    assert level_of_text("(a + b)") == level_of_text("a") > level_of_text("(a) + (b)")


def test_nodes_of_another_tree_cannot_be_edited():
    with pytest.raises(ValueError, match="a node of the module"):
        writer("x = 1\n").edit(ast.Name("x"), "y")
