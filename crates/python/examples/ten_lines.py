"""Your own solver beside two others; writes comparison.svg."""

import delassus
from delassus import Problem


def richardson(problem: Problem, impulses: delassus.Floats) -> delassus.Floats:
    """Take a gradient step on all rows at once, then project every contact."""
    step = 1.0 / (problem.A + problem.R).trace()
    velocity = problem.corrected(problem.velocity(impulses))
    return problem.project(impulses - step * velocity)


problems = [Problem.generate("planted", bodies=4, coulomb=3, seed=seed) for seed in (1, 2)]
comparison = delassus.compare([richardson, "pgs", "nncg"], problems, tol=1e-6)
print(comparison)
comparison.save("comparison.svg")
