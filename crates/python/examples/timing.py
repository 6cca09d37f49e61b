"""What a call from Python costs, and many worlds in one call; prints times of this machine."""

import statistics
import time

import numpy as np

from delassus import Problem, World, poses_of, solve, step_worlds


def overhead(rows: int = 100, solves: int = 2_000) -> tuple[float, float]:
    """Return the median time of a solve and of what Python adds to it [s]."""
    rng = np.random.default_rng(1)
    draw = rng.normal(size=(rows, rows))
    matrix = draw @ draw.T / rows + np.eye(rows)
    problem = Problem.from_arrays(A=matrix, b=rng.normal(size=rows))
    own, beyond = [], []
    for _ in range(solves):
        began = time.perf_counter()
        found = solve(problem, "pgs", tol=1e-6)
        beyond.append(time.perf_counter() - began - found.seconds)
        own.append(found.seconds)
    assert found.solved
    return statistics.median(own), statistics.median(beyond)


def many(worlds: int = 10_000, balls: int = 10, frames: int = 10) -> tuple[float, float, float]:
    """Return the times to make the worlds, to advance all by a frame, and to read poses [s]."""
    first = World(scheme="soft-step", solver="pgs")
    first.body(shape=("half-space",))
    for ball in range(balls):
        first.body([0.5 * ball, 0.1, 0.0], mass=1.0, shape=("sphere", 0.1))
    began = time.perf_counter()
    copies = [first.copy() for _ in range(worlds)]
    for index, world in enumerate(copies):
        # each world has its own parameters
        world.set_gravity([0.0, -9.81 - 1e-4 * index, 0.0])
    made = time.perf_counter() - began
    step_worlds(copies)
    assert len(copies[-1].contacts.separations) == balls
    began = time.perf_counter()
    step_worlds(copies, frames)
    stepped = (time.perf_counter() - began) / frames
    began = time.perf_counter()
    heights = poses_of(copies)[:, 1:, 1]
    read = time.perf_counter() - began
    assert heights.shape == (worlds, balls) and abs(heights - 0.1).max() < 0.01
    return made, stepped, read


if __name__ == "__main__":
    native, beyond = overhead()
    print(f"100 rows: {native * 1e6:.0f} µs in the solve, {beyond * 1e6:.1f} µs around it")
    made, stepped, read = many()
    print(
        f"10 000 worlds of 10 contacts: {made:.2f} s to copy, {stepped * 1e3:.0f} ms per frame in "
        f"one call, {read * 1e3:.1f} ms to read all poses"
    )
