# /// case
# id = "while-20-bits-of-a-hash"
# kind = "traced-while"
# expect = "fix"
# findings = [29, 33]
# oracle = "eager"
# ///
"""A hash that starts as a number of NumPy's; its bits are counted in another name."""
import jax
import jax.numpy as jnp
import numpy as np

PRIME = np.uint32(16777619)


def mix(h, word):
    h ^= word
    h = h * PRIME
    h ^= h >> 13
    return h


@jax.jit
def digest(words, rounds, buckets):
    h = np.uint32(2166136261)
    for word in words:
        h = mix(h, word)
    bits, left = 0, h
    while left:
        bits += left & 1
        left >>= 1
    probe = 0
    while probe < rounds and h % buckets != 0:
        h = mix(h, np.uint32(7))
        probe += 1
    return h, bits, probe, h % buckets, (h >> 16).astype(jnp.uint8)


def main():
    words = jnp.array([3, 1, 4, 1, 5], jnp.uint32)
    return [digest(words + k, jnp.int32(n), jnp.uint32(b)) for k, n, b in ((0, 0, 7), (1, 5, 3), (2, 9, 11), (9, 20, 2))]
