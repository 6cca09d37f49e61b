# %% [markdown]
# # From a bad frame to a better solver
#
# A chain of ten rods swings with a tip of a hundred times their mass, and its joints open. One
# frame of it, frozen, says which solver would do better.

# %%
import numpy as np

import delassus
from delassus import World


def chain(solver: str) -> World:
    """Make the chain with a scheme that gives a solver four sweeps per substep."""
    parameters = {"substeps": 8, "sweeps": 4, "stabilization": "baumgarte"}
    return World.scene(
        "heavy-tip-chain",
        scheme="velocity",
        solver=solver,
        scheme_parameters=parameters,
        angle=0.5,
    )


def swing(world: World, frames: int = 120) -> float:
    """Step the chain; return by how much rods of 0.5 m were further apart than joints allow [m]."""
    worst = 0.0
    world.record(every=2)
    for _ in range(frames):
        world.step()
        centres = world.poses[:10, :3]
        distances = np.linalg.norm(np.diff(centres, axis=0), axis=1)
        worst = max(worst, float(distances.max()) - 0.5)
    return worst


bad = chain("pgs")
gap = swing(bad)
print(f"pgs: rods were {1e3 * gap:.2f} mm too far apart")

# %% [markdown]
# The problem of the next frame, and how fast each solver converges on it:

# %%
problem = bad.frame_problem("chain, frame 120")
print(problem)
candidates = ["pgs", "nncg", "block-gs", "dense-direct", "auto"]
comparison = delassus.compare(candidates, problem, tol=1e-8, max_sweeps=2_000)
print(comparison)
assert all(row["status"] == "solved" for row in comparison.rows)
comparison

# %% [markdown]
# `pgs` needs many times the four sweeps of the scheme. The solver with the fewest, in the scene:

# %%
better = min(comparison.rows, key=lambda row: row["sweeps"])["solver"]
good = chain(better)
smaller = swing(good)
print(f"{better}: {1e3 * smaller:.2f} mm")
assert smaller < 0.2 * gap
delassus.replay({"pgs": bad, better: good}, title="heavy tip chain")
