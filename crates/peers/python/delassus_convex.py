"""Frozen problems of convex laws as programs: min ½ xᵀWx + bᵀx over bounds and cones."""
import numpy as np

BOXES = ["equality", "bounds", "frictionless", "fixed-box"]


def bounds(problem):
    """Lower and upper bounds [N·s] of every row; a cone has none."""
    lower, upper = np.full(problem.rows, -np.inf), np.full(problem.rows, np.inf)
    for law, rows, numbers in problem.blocks:
        if law == "bounds":
            lower[rows], upper[rows] = numbers[:2]
        elif law in ("frictionless", "fixed-box"):
            size = numbers[0] if law == "fixed-box" else 0.0
            lower[rows], upper[rows] = -size, size
            lower[rows.start], upper[rows.start] = 0.0, np.inf
    return lower, upper


def symmetric(problem):
    """W, made symmetric to the last bit; refuses a matrix that is not symmetric."""
    W = problem.W
    if np.abs(W - W.T).max() > 1e-12 * np.abs(W).max():
        raise NotImplementedError("an unsymmetric W")
    return (W + W.T) / 2


def cones(problem):
    """A, c and cone sizes of c − A x in {0}^z × [0, ∞)^l × second-order cones, in this order."""
    lower, upper = bounds(problem)
    unit, fixed = np.eye(problem.rows), lower == upper
    below, above = np.isfinite(lower) & ~fixed, np.isfinite(upper) & ~fixed
    A = [unit[fixed], -unit[below], unit[above]]
    c, sizes = [upper[fixed], -lower[below], upper[above]], []
    for law, rows, numbers in problem.blocks:
        if law == "convex-cone":
            part = -unit[rows]
            part[0] *= numbers[0]
            A.append(part)
            sizes.append(len(part))
    c.append(np.zeros(sum(sizes)))
    limits = int(below.sum() + above.sum())
    return np.vstack(A), np.concatenate(c), (int(fixed.sum()), limits, sizes)
