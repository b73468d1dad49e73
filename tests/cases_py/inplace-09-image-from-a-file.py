# /// case
# id = "inplace-09-image-from-a-file"
# kind = "inplace-update"
# expect = "fix"
# findings = [18]
# ///
"""What is compared with something unknown may be a mask, and no single number."""

import json

import jax
import numpy as np


@jax.jit
def framed(image):
    wide = np.zeros((image.shape[0] + 2, image.shape[1] + 2))
    wide[1:-1, 1:-1] = image
    return wide


def main():
    image = np.array(json.loads("[[1, 5], [7, 2]]"))
    return framed(image > 3), framed((image > 1) & (image < 6))
