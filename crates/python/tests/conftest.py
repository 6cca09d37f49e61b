"""What several tests use."""

import numpy as np
import pytest

from delassus import Problem


def block_problem(seed=0, name="two contacts"):
    """Two contacts and two bounded rows with a positive definite matrix that a seed draws."""
    draw = np.random.default_rng(seed).normal(size=(8, 12))
    blocks = [("coulomb", 3, 0.3), ("disc", 3, 0.2), ("bounds", 2, [-0.5, 0.75])]
    return Problem.from_arrays(
        A=draw @ draw.T, b=np.random.default_rng(seed + 1).normal(size=8), blocks=blocks, name=name
    )


@pytest.fixture
def problem():
    return block_problem()
