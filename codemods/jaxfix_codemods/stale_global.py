from __future__ import annotations

from typing import ClassVar

from jaxfix.codemod import Capture, CaptureRule, Safety


class StaleGlobal(CaptureRule):
    """Module variable that compiled code reads and that is assigned again later.

    `jax.jit` traces a function once for each shape and type of its arguments. A module
    variable is read while it traces, and its value is in the program for good: an
    assignment afterwards changes nothing. The value becomes an argument, and each call
    hands it over as it is then.

    ## Example

    ```python before
    learning_rate = 0.01

    @jax.jit
    def update(params, grads):
        return params - learning_rate * grads

    def train(params, grads):
        global learning_rate
        for rate in (0.1, 0.01):
            learning_rate = rate
            params = update(params, grads)
        return params
    ```

    ```python after
    learning_rate = 0.01

    @jax.jit
    def update(params, grads, learning_rate):
        return params - learning_rate * grads

    def train(params, grads):
        global learning_rate
        for rate in (0.1, 0.01):
            learning_rate = rate
            params = update(params, grads, learning_rate)
        return params
    ```

    ```python check
    train(1.0, 0.5)
    ```

    ## Safety

    Safe where all calls are in the project. Functions between the compiled one and the
    read get the argument too. Where a call is out of sight (the function is passed on
    as a value, or is part of a library), a small function of the old name and signature
    hands the value over. A flag, a word or a size that Python itself must know becomes
    a static argument, with a program for each value. Unsafe where the signature of a
    library's public function changes.

    ## Not fixed

    - A value that Python itself must know and that takes many values, or unknown ones.
    - Compiled code that assigns the variable itself.
    - A function that is bound twice, or decorated by something that cannot be seen.

    ## See

    - https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html#pure-functions
    """

    safety: ClassVar = Safety.SAFE

    def concerns(self, capture: Capture) -> bool:
        is_variable = capture.place.kind == "module" and capture.change.rebinds
        return is_variable and not capture.rejitted

    def message(self, capture: Capture) -> str:
        return (
            f"compiled code keeps the first value of `{capture.text}`, which is"
            " assigned again"
        )
