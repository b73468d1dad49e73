# /// case
# id = "bool-13-keys-by-operator"
# kind = "traced-bool-op"
# expect = "report"
# findings = [29, 32]
# ///
"""Keys by itemgetter and attrgetter: a traced part decides, or a static one."""
import dataclasses
import operator
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Offer(NamedTuple):
    name: str
    price: jax.Array


@dataclasses.dataclass(eq=False)
class Ticket:
    price: jax.Array


@jax.jit
def f(a, b):
    pairs = [(2, a), (1, b)]
    ranked = sorted(pairs, key=operator.itemgetter(1))
    by_rank = sorted(pairs, key=operator.itemgetter(0))
    offers = [Offer("x", a), Offer("yy", b)]
    best = min(offers, key=operator.attrgetter("price"))
    named = max(offers, key=operator.attrgetter("name"))
    same = Ticket(a) == Ticket(a)
    return ranked[0][0], by_rank[0][1], len(best.name), named.price, same


def main():
    return [f(*map(jnp.float32, c)) for c in ((1.0, -1.0), (2.0, 2.5), (-3.0, 3.0))]
