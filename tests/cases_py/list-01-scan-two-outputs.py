# /// case
# id = "list-01-scan-two-outputs"
# kind = "accumulate-list"
# expect = "fix"
# findings = [16]
# ///
"""Two lists grow side by side over a long sequence; both are stacked at the end."""

import jax
import jax.numpy as jnp


@jax.jit
def leapfrog(position, velocity, forces):
    positions, energies = [], []
    for force in forces:
        velocity = velocity + 0.1 * force
        position = position + 0.1 * velocity
        positions.append(position)
        energies.append(0.5 * velocity**2)
    return jnp.stack(positions), jnp.array(energies)


def main():
    forces = jnp.sin(jnp.arange(120.0))
    return [
        leapfrog(jnp.float32(0.0), jnp.float32(1.0), forces),
        leapfrog(jnp.float32(2.0), jnp.float32(-1.0), forces[:40]),
    ]
