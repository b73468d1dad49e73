"""The same jobs through joblib's backends: loky, dask, ray.

joblib is the one interface that all three share, it pickles by value where needed, and
its absence costs nothing: it is an extra (`jaxfix[cluster]`). A remote machine does not
see our folders, so the trees travel with the work.
"""

from __future__ import annotations

import io
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from jaxfix._errors import UsageError

from .trees import Trees

if TYPE_CHECKING:
    from .harness import Chunk
    from .verdict import Verdict


def run_on_cluster(
    run_chunk: Callable[[Chunk], list[Verdict]],
    chunks: Sequence[Chunk],
    backend: str,
    jobs: int,
) -> list[Verdict]:
    """Run all chunks on a joblib backend and gather their verdicts.

    Raises:
      UsageError: joblib or the backend's own package is not installed.
    """
    try:
        import joblib
    except ImportError as error:
        raise UsageError("`--backend` needs `pip install joblib`") from error
    packed = [(replace(c, trees=Trees(Path(), Path())), pack(c.trees)) for c in chunks]
    try:
        connected = connection(backend, jobs)
        with connected, joblib.parallel_config(backend=backend, n_jobs=max(1, jobs)):
            parts = joblib.Parallel()(
                joblib.delayed(run_packed)(run_chunk, chunk, data)
                for chunk, data in packed
            )
    except (ImportError, ValueError) as error:
        raise UsageError(f"backend `{backend}`: {error}") from error
    return [verdict for part in parts for verdict in part]


def connection(backend: str, jobs: int) -> AbstractContextManager[object]:
    """What a backend wants to be there before joblib uses it.

    Ray brings its joblib backend itself. Dask wants a client: of the scheduler that its
    configuration names (`DASK_SCHEDULER_ADDRESS`), else of a cluster on this machine.
    """
    if backend == "ray":
        from ray.util.joblib import register_ray

        register_ray()
    if backend == "dask":
        # By name: neither is typed, nor needed otherwise.
        dask, distributed = map(import_module, ("dask", "distributed"))
        address = dask.config.get("scheduler-address", None)
        local = {"n_workers": max(1, jobs), "threads_per_worker": 1}
        options = local | {"dashboard_address": None} if address is None else {}
        client: AbstractContextManager[object] = distributed.Client(address, **options)
        return client
    return nullcontext()


def pack(trees: Trees) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        archive.add(trees.before, "before")
        archive.add(trees.after, "after")
    return buffer.getvalue()


def run_packed(
    run_chunk: Callable[[Chunk], list[Verdict]], chunk: Chunk, data: bytes
) -> list[Verdict]:
    """On the remote side: unpack, run, forget."""
    with tempfile.TemporaryDirectory(prefix="jaxfix-") as scratch:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            archive.extractall(scratch, filter="data")
        trees = Trees(Path(scratch, "before"), Path(scratch, "after"))
        return run_chunk(replace(chunk, trees=trees))
