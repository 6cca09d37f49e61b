"""The residual `natural_map` of impulses, computed with NumPy alone (docs/quantities.md).

python3 judge.py FILE.dls IMPULSES.csv    IMPULSES.csv is what `delassus solve --save` writes
"""
import sys

import delassus_peer
import numpy as np
from numpy.linalg import eigvalsh, norm


def project(law, c, x, radius):
    if law == "equality":
        return x
    if law == "bounds":
        return np.clip(x, c[0], c[1])
    n, t, length = x[0], x[1:], norm(x[1:])
    if law in ("coulomb", "convex-cone"):
        if length <= c[0] * n or c[0] * length <= -n:
            return x if length <= c[0] * n else 0 * x
        n = (n + c[0] * length) / (1 + c[0] ** 2)
        return np.append(n, c[0] * n / length * t)
    t = t * min(1, radius / max(length, 1e-300)) if law == "disc" else np.clip(t, -radius, radius)
    return np.append(max(n, 0), t)


def natural_map(p, x):
    total, w = 0.0, p.W @ x + p.b
    for law, rows, c in p.blocks:
        alone = law in ("equality", "bounds")
        for g in [slice(i, i + 1) for i in range(p.rows)[rows]] if alone else [rows]:
            L = eigvalsh((p.W[g, g] + p.W[g, g].T) / 2)[-1]
            w_hat, slip = w[g].copy(), norm(w[g][1:])
            if law == "coulomb" and slip > 9e-16 * (L * norm(x[g]) + norm(p.b[g])):
                w_hat[0] += c[0] * slip
            size = {"frictionless": 0, "fixed-box": 1}.get(law, max(x[rows.start], 0))
            r = x[g] - project(law, c, x[g] - w_hat / L, c[0] * size)
            total += L * r @ r
    heaviest = p.arrays.get("bodies/inverse_mass", np.zeros((1, 3))).max(axis=1)
    h, gravity = p.arrays.get("step", (0, 0))
    falling = np.sum(1 / heaviest[heaviest > 0]) * (gravity * h) ** 2
    return np.sqrt(total / (max(np.sum(p.b ** 2 / np.diag(p.W)), falling) or 2))


LAWS = ("equality bounds frictionless fixed-box pyramid disc coulomb convex-cone").split()


def main(problem, impulses):
    with open(problem, "rb") as file:
        p = delassus_peer.Problem(file.read())
    other = sorted({block.law for block in p.blocks} - set(LAWS))
    if other or p.held:
        sys.exit(f"{problem}: not judged here: {' '.join(other) or 'rows that are not solved for'}")
    x = np.loadtxt(impulses, delimiter=",", skiprows=1, ndmin=2)[:, 1]
    print(f"{natural_map(p, x):.3e}")


if __name__ == "__main__":
    main(*sys.argv[1:])
