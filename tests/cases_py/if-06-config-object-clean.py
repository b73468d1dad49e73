# /// case
# id = "if-06-config-object-clean"
# kind = "traced-if"
# expect = "clean"
# findings = []
# ///
"""Conditions on a config of Python values, on structure, and on types: all known while tracing."""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp


@dataclasses.dataclass(frozen=True)
class Config:
    layers: int = 2
    norm: str = "rms"
    dropout: float = 0.0


@partial(jax.jit, static_argnums=1)
def forward(params, cfg, x):
    for i in range(cfg.layers):
        w = params["layers"][i]
        x = x @ w if w.ndim == 2 else x * w
        if cfg.norm == "rms":
            x = x / jnp.sqrt(jnp.mean(x**2) + 1e-6)
        elif cfg.norm not in ("none", None):
            raise ValueError(cfg.norm)
    if "head" in params and isinstance(params["head"], dict):
        x = x * params["head"]["scale"]
    if cfg.dropout > 0.0 and len(params) > 1:
        x = x * (1.0 - cfg.dropout)
    return x


def main():
    x = jnp.array([1.0, -2.0])
    params = {"layers": [jnp.ones((2, 2)), jnp.array([0.5, 2.0])]}
    headed = {**params, "head": {"scale": jnp.float32(3.0)}}
    return [
        forward(params, Config(), x),
        forward(headed, Config(norm="none", dropout=0.25), x),
        forward(params, Config(layers=1), x),
    ]
