# %% [markdown]
# # A certified reference, and what several solutions look like
#
# Painlevé's rod slides on its tip. Beyond a friction coefficient of (4 + s²)/(3 s), for a slope s,
# the problem has three solutions.

# %%
import numpy as np

import delassus
from delassus import Problem

slope = 2.0
critical = (4.0 + slope**2) / (3.0 * slope)

# %% [markdown]
# A reference is certified if independent methods agree on it. Below the critical friction there is
# one solution:

# %%
below = Problem.generate("painleve-rod", slope=slope, friction=0.9 * critical)
found = delassus.reference(below, thorough=True)
print(found.uniqueness, len(found.solutions), found.solutions[0].methods)
assert len(found.solutions) == 1

# %% [markdown]
# Beyond it there are three: the rod lifts off, slides on, or stops at once.

# %%
beyond = Problem.generate("painleve-rod", slope=slope, friction=1.2 * critical)
several = delassus.reference(beyond, thorough=True)
for solution in several.solutions:
    velocity = beyond.velocity(solution.impulses)
    print(
        "impulses",
        solution.impulses.round(4),
        "velocity of the tip",
        velocity.round(4),
        f"residual {solution.residual:.0e}",
    )
    assert beyond.metrics(solution.impulses)["natural_map"] < 1e-9
assert len(several.solutions) == 3

# %% [markdown]
# Which of them a solver finds depends on the solver, and on where it starts:

# %%
for name in ("pgs", "block-gs", "nncg", "lemke"):
    try:
        result = delassus.solve(beyond, name, tol=1e-9)
    except delassus.SolverError as error:
        print(f"{name:<9} {error}")
        continue
    distances = [np.abs(result.impulses - one.impulses).max() for one in several.solutions]
    which = int(np.argmin(distances)) if result.solved else None
    print(f"{name:<9} {result.status:<11} solution {which}")
