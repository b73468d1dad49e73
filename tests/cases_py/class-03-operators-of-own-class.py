# /// case
# id = "class-03-operators-of-own-class"
# kind = "method"
# expect = "fix"
# findings = [34]
# ///
"""An own class compares, adds and measures its objects by special methods that give traced values."""
import jax
import jax.numpy as jnp


class Money:
    def __init__(self, amount, rate=1.0):
        self.amount = amount
        self.rate = rate

    @property
    def value(self):
        return self.amount * self.rate

    def __add__(self, other):
        return Money(self.value + other.value)

    def __lt__(self, other):
        return self.value < other.value

    def __neg__(self):
        return Money(-self.amount, self.rate)


@jax.jit
def cheaper(a, b, rate):
    left, right = Money(a), Money(b, rate)
    if left < right:
        best = left.value
    else:
        best = right.value
    total = left + -right
    return best, total.value


def main():
    return [cheaper(*map(jnp.float32, c)) for c in ((1.0, 2.0, 3.0), (5.0, 2.0, 2.0), (4.0, 2.0, 2.0))]
