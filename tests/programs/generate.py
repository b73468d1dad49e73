"""Random programs: valid Python that runs eagerly, and often breaks under `jax.jit`.

Each program is one module with one or several compiled functions and a `main()` that
calls them on several inputs. Loops are bounded by construction. Numbers are small
multiples of powers of two and few operations round, so that a value that differs after
a rewrite is a wrong rewrite and no rounding error.
"""

from __future__ import annotations

import contextlib
import enum
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from .templates import TEMPLATES


class Type(enum.StrEnum):
    """What a variable of a generated program holds."""

    FLOAT = "float"
    INT = "int"
    BOOL = "bool"
    VECTOR = "vector"
    INDICES = "indices"
    HALF = "half"
    KEY = "key"


@dataclass(frozen=True, slots=True)
class Program:
    """A generated module. `clean`: correct as it stands, so nothing may touch it."""

    kind: str
    seed: int
    index: int
    source: str
    clean: bool

    @property
    def name(self) -> str:
        return f"{self.kind.replace('-', '_')}_{self.seed}_{self.index}"


@dataclass(frozen=True, slots=True)
class Kind:
    """A family of programs: how often each statement and expression occurs in it."""

    statements: dict[str, int]
    expressions: frozenset[str] = frozenset()
    params: tuple[Type, ...] = (Type.FLOAT, Type.FLOAT, Type.INT, Type.VECTOR)
    results: tuple[Type, ...] = (Type.FLOAT, Type.INT, Type.VECTOR)
    clean: bool = False
    gradient: bool = False
    helpers: int = 0


PLAIN = {"assign": 5, "augment": 4, "swap": 1}
BRANCHES = PLAIN | {"branch": 7, "static_branch": 1}
LOOPS = PLAIN | {
    "branch": 2,
    "while_loop": 3,
    "shrink_loop": 2,
    "range_loop": 5,
    "static_loop": 1,
}
EXITS = PLAIN | {
    "branch": 2,
    "while_loop": 3,
    "shrink_loop": 1,
    "range_loop": 3,
    "static_loop": 2,
    "leave": 5,
    "search_loop": 2,
}
STATE = {
    "new_dict": 3,
    "new_pair": 2,
    "new_list": 2,
    "store": 3,
    "branch": 4,
    "range_loop": 2,
    "static_loop": 2,
    "array_loop": 2,
    "append_loop": 3,
}
CORRECT = PLAIN | {
    "static_branch": 5,
    "static_loop": 3,
    "new_dict": 1,
    "new_pair": 1,
    "select": 2,
    "lax_branch": 2,
    "lax_loop": 2,
    "inner": 1,
}
EVERYTHING = EXITS | STATE | {"inner": 1, "static_branch": 1, "draw": 1}

BUILT: dict[str, Kind] = {
    "branches": Kind(BRANCHES, frozenset({"ternary", "chain", "walrus"})),
    "bool-ops": Kind(
        PLAIN | {"branch": 4}, frozenset({"ternary", "chain", "either", "minmax"})
    ),
    "returns": Kind(BRANCHES | {"leave": 6}, frozenset({"chain"})),
    "loops": Kind(LOOPS, frozenset({"chain"})),
    "exits": Kind(EXITS, frozenset({"chain"})),
    "helpers": Kind(
        BRANCHES | {"range_loop": 2, "inner": 3}, frozenset({"helper"}), helpers=2
    ),
    "state": Kind(PLAIN | STATE),
    "types": Kind(
        LOOPS | {"new_half": 2, "widen": 3, "new_indices": 2, "branch": 5},
        frozenset({"ternary", "cast"}),
        params=(Type.FLOAT, Type.INT, Type.BOOL, Type.INDICES, Type.HALF),
        results=(Type.FLOAT, Type.INT, Type.INDICES, Type.HALF),
    ),
    "casts": Kind(PLAIN | {"branch": 2, "cast": 4}, frozenset({"cast"})),
    "keys": Kind(
        BRANCHES | {"draw": 5, "range_loop": 2, "leave": 1},
        params=(Type.FLOAT, Type.KEY, Type.INT),
        results=(Type.FLOAT, Type.INT),
    ),
    "gradients": Kind(
        BRANCHES | {"static_loop": 2, "leave": 1},
        frozenset({"ternary"}),
        params=(Type.FLOAT, Type.FLOAT),
        results=(Type.FLOAT,),
        gradient=True,
    ),
    "mixed": Kind(
        EVERYTHING,
        frozenset({"ternary", "chain", "helper", "minmax", "walrus"}),
        helpers=1,
        params=(Type.FLOAT, Type.INT, Type.BOOL, Type.VECTOR, Type.KEY),
    ),
    "correct": Kind(CORRECT, frozenset({"helper"}), helpers=1, clean=True),
}

NAMES = {
    Type.FLOAT: ("x", "y", "total", "best", "scale", "err"),
    Type.INT: ("n", "count", "hits", "pos", "last"),
    Type.BOOL: ("ok", "found", "done"),
    Type.VECTOR: ("v", "w", "vec", "delta"),
    Type.INDICES: ("idx", "order"),
    Type.HALF: ("h", "low"),
    Type.KEY: ("key",),
}
FLOATS = ("0.0", "0.25", "0.5", "1.0", "1.5", "2.0", "-1.0", "3.0")
THRESHOLDS = ("0.0", "0.5", "1.0", "-1.25", "2.0", "0.3")
INPUTS = {
    Type.FLOAT: ("0.0", "1.0", "-2.5", "3.75", "0.5", "-0.125", "16.0"),
    Type.INT: ("0", "1", "3", "5", "-1", "2"),
    Type.BOOL: ("True", "False"),
    Type.VECTOR: (
        "[0.0, 1.0, -2.0]",
        "[0.5, 0.25, 4.0]",
        "[-1.0, -1.0, -1.0]",
        "[0.0, 0.0, 0.0]",
    ),
    Type.INDICES: ("[0, 1, 2]", "[2, 0, 1]", "[5, -3, 0]"),
    Type.HALF: ("0.0", "1.5", "-2.0"),
    Type.KEY: ("0", "1", "7"),
}
MAKERS = {
    Type.FLOAT: "jnp.float32({})",
    Type.INT: "jnp.int32({})",
    Type.BOOL: "jnp.array({})",
    Type.VECTOR: "jnp.array({})",
    Type.INDICES: "jnp.array({})",
    Type.HALF: "jnp.float16({})",
    Type.KEY: "jax.random.key({})",
}
MAX_DEPTH = 3


@dataclass(slots=True)
class FunctionWriter:
    """Writes one function, statement after statement, with the types in scope."""

    rng: random.Random
    kind: Kind
    results: tuple[Type, ...]
    helpers: tuple[str, ...] = ()
    lines: list[str] = field(default_factory=list)
    types: dict[str, Type] = field(default_factory=dict)
    frozen: set[str] = field(default_factory=set)
    statics: tuple[str, ...] = ()
    dicts: list[str] = field(default_factory=list)
    pairs: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    depth: int = 1
    loops: list[str] = field(default_factory=list)
    fresh: int = 0

    # Lines and scopes

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    @contextlib.contextmanager
    def indented(self) -> Iterator[None]:
        """A block; names first bound in it are not known to be bound after it."""
        types, dicts, pairs = dict(self.types), list(self.dicts), list(self.pairs)
        lists, frozen = list(self.lists), set(self.frozen)
        self.depth += 1
        yield
        self.depth -= 1
        self.types, self.dicts, self.pairs = types, dicts, pairs
        self.lists, self.frozen = lists, frozen

    def new_name(self, base: str) -> str:
        self.fresh += 1
        return f"{base}{self.fresh}"

    def names(self, kind: Type) -> list[str]:
        return [name for name, held in self.types.items() if held is kind]

    def assignable(self, kind: Type) -> list[str]:
        return [name for name in self.names(kind) if name not in self.frozen]

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def has(self, feature: str, probability: float) -> bool:
        return feature in self.kind.expressions and self.chance(probability)

    # Expressions

    def expression(self, kind: Type, depth: int = 2) -> str:
        if self.has("ternary", 0.12) and depth > 0 and kind is not Type.KEY:
            yes, no = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
            return f"({yes} if {self.test(depth - 1)} else {no})"
        match kind:
            case Type.FLOAT:
                return self.float_expression(depth)
            case Type.INT:
                return self.int_expression(depth)
            case Type.BOOL:
                return self.test(depth)
            case Type.VECTOR:
                return self.vector_expression(depth)
            case Type.INDICES:
                return self.indices_expression()
            case Type.HALF:
                return self.half_expression()
            case Type.KEY:
                return self.rng.choice(self.names(Type.KEY))

    def float_leaf(self) -> str:
        choices = self.names(Type.FLOAT) * 2 + [self.rng.choice(FLOATS)]
        choices += [f'{name}["value"]' for name in self.dicts]
        choices += [f"{name}[0]" for name in self.pairs]
        choices += [
            f"{name}[{self.rng.randrange(3)}]" for name in self.names(Type.VECTOR)
        ]
        return self.rng.choice(choices)

    def float_expression(self, depth: int) -> str:
        if depth <= 0 or self.chance(0.25):
            return self.float_leaf()
        left = self.float_expression(depth - 1)
        options: list[Callable[[], str]] = [
            lambda: f"({left} {self.rng.choice('+-')} {self.float_leaf()})",
            lambda: f"({left} * {self.rng.choice(('0.5', '2.0', '-1.0', '0.25'))})",
            lambda: f"jnp.abs({left})",
            lambda: f"jnp.{self.rng.choice(('minimum', 'maximum'))}({left}, 2.0)",
            lambda: f"{left} / 2.0",
            lambda: f"jnp.clip({left} * {self.float_leaf()}, -8.0, 8.0)",
        ]
        if self.names(Type.INT):
            options.append(
                lambda: f"({left} + {self.rng.choice(self.names(Type.INT))})"
            )
        if self.names(Type.VECTOR):
            vector = self.rng.choice(self.names(Type.VECTOR))
            options.append(lambda: f"jnp.sum({vector})")
            options.append(lambda: f"{vector}.{self.rng.choice(('max', 'min'))}()")
        if self.has("helper", 0.4) and self.helpers:
            return self.helper_call(left)
        if self.has("either", 0.15):
            word = self.rng.choice(("or", "and"))
            return f"({left} {word} {self.float_leaf()})"
        if self.has("minmax", 0.15):
            call = self.rng.choice(("max", "min"))
            return f"{call}({left}, {self.float_leaf()})"
        if self.has("cast", 0.2):
            return f"float({left})"
        return self.rng.choice(options)()

    def helper_call(self, argument: str) -> str:
        helper = self.rng.choice(self.helpers)
        static = self.kind.clean or self.chance(0.5)
        flag = self.rng.choice(("True", "False")) if static else self.test(0)
        return f"{helper}({argument}, {flag})"

    def int_leaf(self) -> str:
        choices = self.names(Type.INT) * 2 + [str(self.rng.randrange(4))]
        choices += [f'{name}["steps"]' for name in self.dicts]
        choices += [f"{name}[1]" for name in self.pairs]
        return self.rng.choice(choices)

    def int_expression(self, depth: int) -> str:
        if depth <= 0 or self.chance(0.3):
            return self.int_leaf()
        left = self.int_expression(depth - 1)
        options = [
            f"({left} {self.rng.choice('+-')} {self.int_leaf()})",
            f"{left} % {self.rng.randrange(2, 5)}",
            f"{left} // 2",
            f"abs({left})",
        ]
        if self.has("cast", 0.3):
            return f"int({self.float_leaf()})"
        return self.rng.choice(options)

    def vector_expression(self, depth: int) -> str:
        names = self.names(Type.VECTOR)
        if not names:
            return f"jnp.full(3, {self.float_leaf()})"
        leaf = self.rng.choice(names)
        if depth <= 0 or self.chance(0.3):
            return leaf
        left = self.vector_expression(depth - 1)
        return self.rng.choice(
            (
                f"({left} {self.rng.choice('+-')} {leaf})",
                f"({left} * {self.rng.choice(('0.5', '2.0', '-1.0'))})",
                f"({left} + {self.float_leaf()})",
                f"jnp.where({left} > {self.rng.choice(THRESHOLDS)}, {leaf}, 0.5)",
                f"jnp.maximum({left}, {leaf})",
                f"jnp.roll({left}, 1)",
                f"{leaf}[::-1]",
                f"jnp.clip({left}, -4.0, 4.0)",
            )
        )

    def indices_expression(self) -> str:
        names = self.names(Type.INDICES)
        if not names:
            return "jnp.arange(3)"
        leaf = self.rng.choice(names)
        other = self.rng.choice(names)
        return self.rng.choice(
            (leaf, f"{leaf} + {other}", f"{leaf} * 2", f"{leaf} % 5", f"{leaf}[::-1]")
        )

    def half_expression(self) -> str:
        leaf = self.rng.choice([*self.names(Type.HALF), "jnp.float16(0.5)"])
        return self.rng.choice((leaf, f"({leaf} + 1.0)", f"({leaf} * 0.5)", f"-{leaf}"))

    def comparison(self, depth: int) -> str:
        operator = self.rng.choice(("<", ">", "<=", ">=", "==", "!="))
        left = self.float_expression(depth)
        options = [
            f"{left} {operator} {self.rng.choice(THRESHOLDS)}",
            f"{left} {operator} {self.float_leaf()}",
        ]
        if self.names(Type.INT):
            number = self.int_expression(depth)
            options.append(f"{number} {operator} {self.rng.randrange(4)}")
            options.append(f"{number} % 2 == {self.rng.randrange(2)}")
        if self.names(Type.VECTOR):
            vector = self.rng.choice(self.names(Type.VECTOR))
            options.append(f"jnp.any({vector} > {self.rng.choice(THRESHOLDS)})")
        if self.names(Type.INDICES):
            options.append(f"{self.rng.choice(self.names(Type.INDICES))}.sum() > 2")
        if self.names(Type.HALF):
            options.append(f"{self.rng.choice(self.names(Type.HALF))} > 0.5")
        return self.rng.choice(options)

    def test(self, depth: int = 1) -> str:
        if self.kind.clean:
            return self.static_test()
        if self.names(Type.BOOL) and self.chance(0.25):
            return self.rng.choice(self.names(Type.BOOL))
        if self.has("chain", 0.15):
            return f"-1.0 < {self.float_leaf()} <= {self.rng.choice(('1.0', '2.5'))}"
        if depth > 0 and self.chance(0.25):
            word = self.rng.choice(("and", "or"))
            return f"({self.test(depth - 1)} {word} {self.test(depth - 1)})"
        if depth > 0 and self.chance(0.08):
            return f"(not {self.comparison(0)})"
        return self.comparison(depth - 1)

    def static_test(self) -> str:
        options = ["LEVEL > 2", "VERBOSE"]
        for name in self.names(Type.VECTOR):
            options += [
                f"{name}.ndim == 1",
                f"{name}.shape[0] > 3",
                f"len({name}) == 3",
            ]
            options.append(f"{name}.dtype == jnp.float32")
            options.append(f"{name} is not None")
        options += [f'{name} == "sum"' for name in self.statics]
        options += [f'"value" in {name}' for name in self.dicts]
        return self.rng.choice(options)

    # Statements

    def body(self, count: int) -> bool:
        """Write `count` statements. Returns whether control reaches the end."""
        return all(self.statement() for _ in range(count))

    def statement(self) -> bool:
        """Write one statement. Returns whether control passes it."""
        weights = dict(self.kind.statements)
        if self.depth > MAX_DEPTH:
            weights = {
                name: weights[name] for name in ("assign", "augment") if name in weights
            }
            weights = weights or {"assign": 1}
        if len(self.loops) > 1:
            weights = {n: w for n, w in weights.items() if not n.endswith("_loop")}
        chosen = self.rng.choices(list(weights), list(weights.values()))[0]
        result = getattr(self, chosen)()
        return result is not False

    def bind(self, name: str, kind: Type) -> None:
        self.types[name] = kind

    def pick_type(self) -> Type:
        held = [t for n, t in self.types.items() if n not in self.frozen]
        held = [t for t in held if t is not Type.KEY]
        return self.rng.choice([*held, Type.FLOAT, Type.INT])

    def assign(self) -> None:
        kind = self.pick_type()
        old = self.assignable(kind)
        name = self.rng.choice(old) if old and self.chance(0.7) else ""
        if not name:
            name = self.rng.choice(NAMES[kind])
            if name in self.frozen or self.types.get(name, kind) is not kind:
                name = self.new_name(name)
        self.emit(f"{name} = {self.expression(kind)}")
        self.bind(name, kind)

    def augment(self) -> None:
        kind = self.rng.choice((Type.FLOAT, Type.FLOAT, Type.INT))
        targets = self.assignable(kind)
        if kind is Type.FLOAT:
            targets += self.slots(Type.FLOAT)
        if not targets:
            return self.assign()
        target = self.rng.choice(targets)
        if kind is Type.FLOAT and self.chance(0.3):
            self.emit(f"{target} *= {self.rng.choice(('0.5', '-1.0', '0.25'))}")
        else:
            self.emit(f"{target} {self.rng.choice('+-')}= {self.expression(kind, 1)}")
        return None

    def slots(self, kind: Type) -> list[str]:
        """Places in dicts and lists that may be stored to."""
        key, index = ('"value"', 0) if kind is Type.FLOAT else ('"steps"', 1)
        in_dicts = [f"{name}[{key}]" for name in self.dicts]
        return in_dicts + [f"{name}[{index}]" for name in self.lists]

    def store(self) -> None:
        kind = self.rng.choice((Type.FLOAT, Type.INT))
        slots = self.slots(kind)
        if not slots:
            return self.new_dict()
        self.emit(f"{self.rng.choice(slots)} = {self.expression(kind, 1)}")
        return None

    def swap(self) -> None:
        targets = self.assignable(Type.FLOAT)
        if len(targets) < 2:
            return self.assign()
        first, second = self.rng.sample(targets, 2)
        if self.chance(0.2):
            self.emit(f"{first} = {second} = {self.expression(Type.FLOAT, 1)}")
            return None
        self.emit(f"{first}, {second} = {second}, {self.expression(Type.FLOAT, 1)}")
        return None

    def branch(self) -> bool:
        return self.if_statement(self.test)

    def static_branch(self) -> bool:
        return self.if_statement(self.static_test)

    def if_statement(self, test: Callable[[], str]) -> bool:
        """An `if`, perhaps with `elif` and `else`; keeps what all branches bind."""
        heads = [f"if {test()}:"]
        if self.has("walrus", 0.1):
            bound, value = self.new_name("y"), self.float_expression(1)
            self.bind(bound, Type.FLOAT)
            heads = [f"if ({bound} := {value}) > {self.rng.choice(THRESHOLDS)}:"]
        if self.chance(0.25):
            heads.append(f"elif {test()}:")
        if self.chance(0.55):
            heads.append("else:")
        ends: list[dict[str, Type]] = []
        for head in heads:
            self.emit(head)
            with self.indented():
                if self.branch_body():
                    ends.append(dict(self.types))
        if heads[-1] != "else:":
            ends.append(dict(self.types))
        if ends:
            common = [n for n in ends[0] if all(e.get(n) is ends[0][n] for e in ends)]
            self.types = {name: ends[0][name] for name in common}
        return bool(ends)

    def branch_body(self) -> bool:
        if self.chance(0.04):
            self.emit("pass")
            return True
        passes = self.body(self.rng.randint(1, 2))
        if passes and "leave" in self.kind.statements and self.chance(0.15):
            return self.leave_now()
        return passes

    def leave(self) -> None:
        """A guarded `return`, `break` or `continue`."""
        self.emit(f"if {self.test()}:")
        with self.indented():
            if self.chance(0.3):
                self.assign()
            self.leave_now()

    def leave_now(self) -> bool:
        words = ["return"]
        if self.loops:
            words += ["break", "break", "continue"]
        word = self.rng.choice(words)
        if word == "return":
            self.return_statement()
        else:
            self.emit(word)
        return False

    def return_statement(self) -> None:
        values = ", ".join(self.expression(kind, 1) for kind in self.results)
        self.emit(f"return {values}")

    def while_loop(self) -> bool:
        counter = self.new_name("i")
        self.emit(f"{counter} = 0")
        self.bind(counter, Type.INT)
        limit = self.rng.choice((str(self.rng.randint(2, 6)), f"{self.int_leaf()} + 2"))
        if any(name in limit for name in self.assignable(Type.INT)):
            limit = "5"
        guard = f"{counter} < {limit}"
        test = self.rng.choice(
            (guard, f"{guard} and {self.test(0)}", f"{self.test(0)} and {guard}")
        )
        if "leave" in self.kind.statements and self.chance(0.15):
            return self.endless_loop(counter)
        self.emit(f"while {test}:")
        if "leave" not in self.kind.statements and self.chance(0.5):
            self.loop_body(counter)
            self.emit(f"    {counter} += 1")
        else:
            self.loop_body(counter, f"{counter} += 1")
        return True

    def shrink_loop(self) -> bool:
        """A loop with no counter, that ends because a value becomes small."""
        targets = self.assignable(Type.FLOAT)
        if not targets:
            self.assign()
            return True
        name = self.rng.choice(targets)
        test = self.rng.choice((f"{name} > 0.5", f"jnp.abs({name}) > 1.0"))
        self.emit(f"while {test}:")
        self.loop_body(
            name, f"{name} {self.rng.choice(('*= 0.5', '= ' + name + ' / 4.0'))}"
        )
        return True

    def endless_loop(self, counter: str) -> bool:
        self.emit("while True:")
        stop = f"if {counter} >= 4 or {self.test(0)}:\n{'    ' * (self.depth + 2)}break"
        self.loop_body(counter, f"{counter} += 1", stop)
        return True

    def loop_body(self, counter: str, *first: str) -> None:
        with self.indented():
            self.loops.append(counter)
            self.frozen.add(counter)
            for line in first:
                self.emit(line)
            self.body(self.rng.randint(1, 3))
            self.loops.pop()

    def range_loop(self) -> bool:
        counts = [name for name in self.names(Type.INT) if name in self.frozen]
        stop = self.rng.choice(counts) if counts else f"{self.int_leaf()} % 5"
        form = self.rng.choice(
            (f"{stop}", f"{stop}", f"1, {stop}", f"{stop}, 0, -1", f"0, {stop}, 2")
        )
        index = self.new_name("i")
        self.emit(f"for {index} in range({form}):")
        with self.indented():
            self.bind(index, Type.INT)
            self.loops.append(index)
            self.frozen.add(index)
            self.body(self.rng.randint(1, 3))
            self.loops.pop()
        if "leave" in self.kind.statements and self.chance(0.1):
            self.emit("else:")
            with self.indented():
                self.assign()
        return True

    def static_loop(self) -> bool:
        index = self.new_name("k")
        bound = self.rng.choice(("2", "3", "LEVEL"))
        self.emit(f"for {index} in range({bound}):")
        with self.indented():
            self.bind(index, Type.INT)
            self.frozen.add(index)
            self.loops.append(index)
            self.body(self.rng.randint(1, 2))
            self.loops.pop()
        return True

    def search_loop(self) -> bool:
        """First position that satisfies a test: a static loop with a traced exit."""
        vectors = self.names(Type.VECTOR)
        if not vectors:
            self.assign()
            return True
        index, found = self.new_name("k"), self.new_name("found")
        vector = self.rng.choice(vectors)
        self.emit(f"{found} = -1")
        self.emit(f"for {index} in range(3):")
        with self.indented():
            self.emit(f"if {vector}[{index}] > {self.rng.choice(THRESHOLDS)}:")
            self.emit(f"    {found} = {index}")
            self.emit("    break")
        self.bind(found, Type.INT)
        return True

    def array_loop(self) -> bool:
        vectors = self.names(Type.VECTOR)
        if not vectors:
            self.assign()
            return True
        item, vector = self.new_name("item"), self.rng.choice(vectors)
        head = self.rng.choice(
            (f"for {item} in {vector}:", f"for _, {item} in enumerate({vector}):")
        )
        self.emit(head)
        with self.indented():
            self.bind(item, Type.FLOAT)
            self.frozen.add(item)
            self.loops.append(item)
            self.body(self.rng.randint(1, 2))
            self.loops.pop()
        return True

    def append_loop(self) -> bool:
        """A list of results that is stacked: over an array or a static range.

        It is never empty: a branch that Python does not take, and that would raise, is
        one that compiled code cannot have.
        """
        out, item, stacked = (
            self.new_name("out"),
            self.new_name("item"),
            self.new_name("vec"),
        )
        vectors = self.names(Type.VECTOR)
        source = self.rng.choice([*vectors, "range(3)"])
        self.emit(f"{out} = []")
        made = len(self.lines) - 1
        self.emit(f"for {item} in {source}:")
        with self.indented():
            self.bind(item, Type.INT if source == "range(3)" else Type.FLOAT)
            self.frozen.add(item)
            if self.chance(0.5):
                self.augment()
            if self.chance(0.15):
                self.lines[made] = self.lines[made].replace("[]", "[0.0]")
                self.emit(f"if {self.test(0)}:")
                self.emit(f"    {out}.append({self.expression(Type.FLOAT, 1)} + 0.0)")
            else:
                self.emit(f"{out}.append({self.expression(Type.FLOAT, 1)} + 0.0)")
        call = self.rng.choice((f"jnp.stack({out})", f"jnp.array({out})"))
        self.emit(f"{stacked} = jnp.sum({call}) + jnp.zeros(3)")
        self.bind(stacked, Type.VECTOR)
        return True

    def new_dict(self) -> None:
        name = self.new_name("state")
        value, steps = self.expression(Type.FLOAT, 1), self.expression(Type.INT, 1)
        self.emit(f'{name} = {{"value": {value}, "steps": {steps}}}')
        self.dicts.append(name)

    def new_pair(self) -> None:
        name = self.new_name("pair")
        value, steps = self.expression(Type.FLOAT, 1), self.expression(Type.INT, 1)
        self.emit(f"{name} = ({value}, {steps})")
        self.pairs.append(name)

    def new_list(self) -> None:
        name = self.new_name("items")
        value, steps = self.expression(Type.FLOAT, 1), self.expression(Type.INT, 1)
        self.emit(f"{name} = [{value}, {steps}]")
        self.pairs.append(name)
        self.lists.append(name)

    def inner(self) -> None:
        """A local function or lambda that closes over what is in scope."""
        name, argument = self.new_name("inner"), self.new_name("t")
        taken = dict(self.types)
        self.bind(argument, Type.FLOAT)
        value = self.expression(Type.FLOAT, 1)
        if self.chance(0.5):
            self.emit(f"{name} = lambda {argument}: {value}")
        else:
            self.emit(f"def {name}({argument}):")
            if self.chance(0.6):
                self.emit(f"    if {self.test(0)}:")
                self.emit(f"        return {argument} * 0.5")
            self.emit(f"    return {value} + {argument}")
        self.types = taken
        result = self.new_name("y")
        self.emit(f"{result} = {name}({self.expression(Type.FLOAT, 1)})")
        self.bind(result, Type.FLOAT)

    def draw(self) -> None:
        if "key" not in self.types:
            return self.assign()
        sub, noise = self.new_name("sub"), self.new_name("noise")
        self.emit(f"key, {sub} = jax.random.split(key)")
        draw = self.rng.choice(("normal", "uniform"))
        self.emit(f"{noise} = jax.random.{draw}({sub})")
        self.bind(noise, Type.FLOAT)
        return None

    def new_half(self) -> None:
        name = self.new_name("h")
        self.emit(f"{name} = jnp.float16({self.float_leaf()})")
        self.bind(name, Type.HALF)

    def new_indices(self) -> None:
        name = self.new_name("idx")
        self.emit(f"{name} = {self.indices_expression()}")
        self.bind(name, Type.INDICES)

    def widen(self) -> None:
        """A name that starts as an int and becomes a float in a branch or a loop."""
        name = self.new_name("acc")
        self.emit(f"{name} = {self.rng.choice(('0', '1', '0.0', 'True'))}")
        head = self.rng.choice((f"if {self.test(0)}:", "for _ in range(2):"))
        self.emit(head)
        self.emit(f"    {name} = {name} + {self.float_expression(1)}")
        self.bind(name, Type.FLOAT)

    def cast(self) -> None:
        name = self.new_name("c")
        call = self.rng.choice(("float", "int", "bool"))
        self.emit(f"{name} = {call}({self.float_expression(1)})")
        self.bind(name, {"float": Type.FLOAT, "int": Type.INT, "bool": Type.BOOL}[call])

    # Correct code that looks suspicious

    def select(self) -> None:
        name = self.new_name("y")
        test = f"{self.float_leaf()} > {self.rng.choice(THRESHOLDS)}"
        self.emit(
            f"{name} = jnp.where({test}, {self.float_leaf()}, {self.float_leaf()})"
        )
        self.bind(name, Type.FLOAT)

    def lax_branch(self) -> None:
        name = self.new_name("y")
        value = self.rng.choice(self.names(Type.FLOAT))
        self.emit(f"{name} = lax.cond(")
        self.emit(f"    {value} > {self.rng.choice(THRESHOLDS)},")
        self.emit("    lambda t: t * 0.5,")
        self.emit("    lambda t: t + 1.0,")
        self.emit(f"    jnp.asarray({value}, dtype=jnp.float32),")
        self.emit(")")
        self.bind(name, Type.FLOAT)

    def lax_loop(self) -> None:
        name = self.new_name("y")
        value = self.rng.choice(self.names(Type.FLOAT))
        self.emit(f"{name} = lax.fori_loop(")
        self.emit("    0, 3, lambda i, t: t * 0.5 + i,")
        self.emit(f"    jnp.asarray({value}, dtype=jnp.float32),")
        self.emit(")")
        self.bind(name, Type.FLOAT)


@dataclass(frozen=True, slots=True)
class Compiled:
    """A written function: its definition, how `main` calls it, its parameters."""

    definition: str
    callee: str
    params: tuple[Type, ...]
    setup: str = ""
    static: bool = False


def parameter_names(params: tuple[Type, ...]) -> list[str]:
    taken: list[str] = []
    for kind in params:
        taken.append(next(name for name in NAMES[kind] if name not in taken))
    return taken


def write_helper(rng: random.Random, kind: Kind, name: str) -> str:
    """A module function that is called with traced or with static values."""
    writer = FunctionWriter(rng, kind, (Type.FLOAT,))
    writer.types = {"x": Type.FLOAT}
    if kind.clean:
        return (
            f"def {name}(x, flag):\n    if flag:\n"
            f"        return {writer.float_expression(1)}\n"
            f"    return {writer.float_expression(1)}\n"
        )
    writer.types["flag"] = Type.BOOL
    writer.frozen = {"flag"}
    writer.emit(f"if {rng.choice(('flag', 'not flag', 'flag and x > 0.5'))}:")
    with writer.indented():
        writer.augment()
        if rng.random() < 0.4:
            writer.return_statement()
    writer.return_statement()
    return f"def {name}(x, flag):\n" + "\n".join(writer.lines) + "\n"


def write_function(
    rng: random.Random, kind: Kind, name: str, helpers: tuple[str, ...]
) -> Compiled:
    params = tuple(p for p in kind.params if p is kind.params[0] or rng.random() < 0.8)
    if Type.KEY in kind.params and Type.KEY not in params:
        params = (*params, Type.KEY)
    names = parameter_names(params)
    results = tuple(t for t in kind.results if t in params or t is Type.FLOAT)
    writer = FunctionWriter(rng, kind, results[: rng.randint(1, 3)], helpers)
    writer.types = dict(zip(names, params, strict=True))
    writer.frozen = {n for n, p in writer.types.items() if p is Type.INT}
    static = rng.random() < (0.6 if kind.clean else 0.15)
    if static:
        writer.statics = ("mode",)
    if writer.body(rng.randint(2, 5)):
        writer.return_statement()
    signature = ", ".join([*names, 'mode="sum"'] if static else names)
    text = f"def {name}({signature}):\n" + "\n".join(writer.lines) + "\n"
    return spell_jit(rng, name, text, params, static)


def spell_jit(
    rng: random.Random, name: str, text: str, params: tuple[Type, ...], static: bool
) -> Compiled:
    """Compile the function in one of the spellings that occur."""
    if static:
        options = 'static_argnames=("mode",)'
        if rng.random() < 0.5:
            return Compiled(
                f"@partial(jax.jit, {options})\n{text}", name, params, static=True
            )
        return Compiled(
            f"{text}\n\n{name}_jit = jax.jit({name}, {options})\n",
            f"{name}_jit",
            params,
            static=True,
        )
    match rng.randrange(6):
        case 0 | 1:
            return Compiled(f"@jax.jit\n{text}", name, params)
        case 2:
            return Compiled(f"@jit\n{text}", name, params)
        case 3:
            return Compiled(
                f"{text}\n\n{name}_jit = jit({name})\n", f"{name}_jit", params
            )
        case 4:
            return Compiled(f"@partial(jax.jit)\n{text}", name, params)
        case _:
            return Compiled(text, "fast", params, setup=f"fast = jax.jit({name})")


def write_calls(rng: random.Random, kind: Kind, compiled: Compiled) -> list[str]:
    calls = []
    for _ in range(rng.randint(3, 5)):
        args = []
        for param in compiled.params:
            value = rng.choice(INPUTS[param])
            bare = param in (Type.FLOAT, Type.INT) and rng.random() < 0.15
            args.append(value if bare else MAKERS[param].format(value))
        if compiled.static and rng.random() < 0.6:
            args.append(f'mode="{rng.choice(("sum", "mean"))}"')
        call = f"{compiled.callee}({', '.join(args)})"
        calls.append(call)
        if kind.gradient:
            start = MAKERS[Type.FLOAT].format(rng.choice(INPUTS[Type.FLOAT]))
            rest = ", ".join([start, *args[1:]])
            calls.append(f"jax.grad({compiled.callee})({rest})")
    return calls


HEADER = """\
from functools import partial

import jax
import jax.numpy as jnp
from jax import jit, lax

LEVEL = {level}
VERBOSE = {verbose}
"""


def write_module(rng: random.Random, kind: Kind) -> str:
    header = HEADER.format(
        level=rng.randint(2, 4), verbose=rng.choice(("True", "False"))
    )
    helpers = tuple(f"helper{n}" for n in range(kind.helpers))
    parts = [header, *(write_helper(rng, kind, name) for name in helpers)]
    functions = [
        write_function(rng, kind, name, helpers)
        for name in ("step", "update")[: rng.choice((1, 1, 2))]
    ]
    parts += [function.definition for function in functions]
    main = ["def main():", "    results = []"]
    for function in functions:
        if function.setup:
            main.append(f"    {function.setup}")
        for call in write_calls(rng, kind, function):
            main.append(f"    results.append({call})")
    main.append("    return results")
    parts.append("\n".join(main) + "\n")
    return "\n\n".join(parts)


KINDS = (*BUILT, *TEMPLATES)


def generate(kind: str, seed: int, index: int) -> Program:
    """Return the program that `kind`, `seed` and `index` name, always the same one."""
    rng = random.Random(f"{kind}/{seed}/{index}")
    if kind in TEMPLATES:
        source, clean = TEMPLATES[kind](rng)
    else:
        source, clean = write_module(rng, BUILT[kind]), BUILT[kind].clean
    return Program(kind, seed, index, source, clean)
