from __future__ import annotations

from typing import ClassVar

from jaxfix.codemod import Capture, CaptureRule, Safety


class MutableCapture(CaptureRule):
    """Dict, list, array or attribute that compiled code reads and that changes later.

    The contents of a captured object are read while the function is traced. Storing
    into the object afterwards does not reach the compiled program. What is read becomes
    an argument: the object itself where it holds numbers and arrays only, else the
    values that are read.

    ## Example

    ```python before
    settings = {"gain": 1.0, "offset": 2.0}

    @jax.jit
    def respond(x):
        return x * settings["gain"] + settings["offset"]

    def sweep(x):
        results = []
        for gain in (1.0, 28.0):
            settings["gain"] = gain
            results.append(respond(x))
        return results
    ```

    ```python after
    settings = {"gain": 1.0, "offset": 2.0}

    @jax.jit
    def respond(x, settings):
        return x * settings["gain"] + settings["offset"]

    def sweep(x):
        results = []
        for gain in (1.0, 28.0):
            settings["gain"] = gain
            results.append(respond(x, settings))
        return results
    ```

    ```python check
    sweep(1.0)
    ```

    ## Safety

    Safe. A method that is jitted together with its object keeps its name and signature:
    it becomes a method that hands the attributes on to the compiled one. An object that
    is a default, or that a partial binds before `jit`, is passed by the calls instead.

    ## Not fixed

    - Compiled code that changes the object itself: what is stored there is a tracer.
    - Objects that hold strings, functions or what cannot be seen, unless single keys
      are read.

    ## See

    - https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html#pure-functions
    - https://docs.jax.dev/en/latest/faq.html#how-to-use-jit-with-methods
    """

    safety: ClassVar = Safety.SAFE

    def concerns(self, capture: Capture) -> bool:
        is_object = capture.place.kind == "attribute" or not capture.change.rebinds
        return is_object and not capture.rejitted

    def message(self, capture: Capture) -> str:
        return f"compiled code keeps `{capture.text}` as it was, and it changes later"
