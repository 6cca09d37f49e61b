"""What a call from Python costs, and many worlds in one call; prints times of this machine."""

import time

import numpy as np

from delassus import Problem, World, poses_of, solve, step_worlds


def overhead(rows: int = 100, solves: int = 2_000) -> tuple[float, float]:
    """Return the time of a solve and what Python adds to it [s]: the fastest tenth of all solves.

    Other programs on the machine only add time.
    """
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
    return sorted(own)[solves // 10], sorted(beyond)[solves // 10]


def many(worlds: int = 10_000, balls: int = 10, frames: int = 5) -> tuple[float, float, float]:
    """Return processor times of all threads [s]: to make the worlds, per frame, to read poses."""
    first = World(scheme="soft-step", solver="pgs")
    first.body(shape=("half-space",))
    for ball in range(balls):
        first.body([0.5 * ball, 0.1, 0.0], mass=1.0, shape=("sphere", 0.1))
    times = [time.process_time()]
    copies = [first.copy() for _ in range(worlds)]
    for index, world in enumerate(copies):
        # each world has its own parameters
        world.set_gravity([0.0, -9.81 - 1e-4 * index, 0.0])
    times.append(time.process_time())
    step_worlds(copies, frames)
    times.append(time.process_time())
    heights = poses_of(copies)[:, 1:, 1]
    times.append(time.process_time())
    assert len(copies[-1].contacts.separations) == balls
    assert heights.shape == (worlds, balls) and abs(heights - 0.1).max() < 0.01
    made, stepped, read = np.diff(times)
    return float(made), float(stepped) / frames, float(read)


if __name__ == "__main__":
    native, beyond = overhead()
    print(f"100 rows: {native * 1e6:.0f} µs in the solve, {beyond * 1e6:.1f} µs around it")
    made, stepped, read = many()
    print(
        f"10 000 worlds of 10 contacts, processor time: {made:.2f} s to copy, {stepped:.2f} s per "
        f"frame in one call, {read:.2f} s to read all poses"
    )
