"""Projected Gauss-Seidel in 30 lines: a solver without Rust (docs/peers.md)."""
from delassus_peer import Answer, Solver, serve

import time

import numpy as np


def solve(problem, request):
    W, b, x = problem.W, problem.b, request.start
    began, claimed = time.perf_counter(), "limit"
    for sweep in range(1, request.max_iterations + 1):
        before = x.copy()
        for law, rows, numbers in problem.blocks:
            n, t = rows.start, slice(rows.start + 1, rows.stop)
            if law in ("equality", "bounds"):
                low, high = numbers[:2] if law == "bounds" else (-np.inf, np.inf)
                for i in range(rows.start, rows.stop):
                    x[i] = np.clip(x[i] - (W[i] @ x + b[i]) / W[i, i], low, high)
            else:  # a contact: the normal impulse pushes, friction lies in a disc
                x[n] = max(x[n] - (W[n] @ x + b[n]) / W[n, n], 0.0)
                x[t] -= (W[t] @ x + b[t]) / np.linalg.norm(W[t, t], 2)
                x[t] *= min(1.0, numbers[0] * x[n] / max(np.linalg.norm(x[t]), 1e-300))
        moved = np.max(np.abs(x - before) * np.diag(W))
        if moved <= request.tolerance or time.perf_counter() - began > request.max_seconds:
            claimed = "converged" if moved <= request.tolerance else "time"
            break
    return Answer(x, claimed, sweep, {"moved": moved})


LAWS = ["equality", "bounds", "disc", "coulomb"]
serve("my-pgs", "1", [Solver("pgs", solve, LAWS, "largest change of a velocity in a sweep", "m/s")])
