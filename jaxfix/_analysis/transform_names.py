"""Transforms of jax and of packages that wrap it, by what they do."""

from __future__ import annotations

JIT = frozenset(
    [
        "jax.jit",
        "jax.pmap",
        "jax.experimental.pjit.pjit",
        "jax.pjit",
        "jax.shard_map",
        "jax.experimental.shard_map.shard_map",
        "jax.api.jit",
        "flax.nnx.jit",
        "flax.linen.jit",
        "haiku.jit",
        "jax.eval_shape_of",
        "jax.named_call",
    ]
)


FILTER_JIT = frozenset(["equinox.filter_jit", "equinox.filter_pmap"])


CHECKPOINT = frozenset(
    [
        "jax.checkpoint",
        "jax.remat",
        "jax.ad_checkpoint.checkpoint",
        "equinox.filter_checkpoint",
        "flax.nnx.remat",
        "flax.linen.remat",
    ]
)


VMAP = frozenset(["jax.vmap", "equinox.filter_vmap", "flax.nnx.vmap"])


GRAD = frozenset(
    [
        "jax.grad",
        "jax.value_and_grad",
        "jax.jacfwd",
        "jax.jacrev",
        "jax.jacobian",
        "equinox.filter_grad",
        "equinox.filter_value_and_grad",
        "flax.nnx.grad",
        "flax.nnx.value_and_grad",
    ]
)


REVERSE = GRAD - {"jax.jacfwd"} | {"jax.hessian"}


HESSIAN = frozenset(["jax.hessian"])


PASS_THROUGH = frozenset(
    [
        "jax.custom_jvp",
        "jax.custom_vjp",
        "jax.custom_gradient",
        "jax.closure_convert",
        "jax.custom_batching.custom_vmap",
    ]
)


MAKE_JAXPR = frozenset(["jax.make_jaxpr", "jax.linear_transpose"])


VECTORIZE = frozenset(["jax.numpy.vectorize"])


WRAPPERS = (
    JIT
    | FILTER_JIT
    | CHECKPOINT
    | VMAP
    | GRAD
    | HESSIAN
    | PASS_THROUGH
    | MAKE_JAXPR
    | VECTORIZE
)


COMPILING = JIT | FILTER_JIT


POSITIONAL_OPTIONS = {
    "jax.vmap": ("in_axes", "out_axes"),
    "jax.grad": ("argnums", "has_aux"),
    "jax.value_and_grad": ("argnums", "has_aux"),
}


# Options that a transform of the project has here: its name, and what it traces.
EXTRA = "*extra"


TRACED = "*traced"


HOST_CALLBACKS = frozenset(
    ["jax.pure_callback", "jax.experimental.io_callback", "jax.debug.callback"]
)
