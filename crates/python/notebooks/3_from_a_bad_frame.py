# %% [markdown]
# # From a bad frame to a better solver
#
# A chain with a heavy ball stretches. One frame of it, frozen, says which solver would do better.

# %%
import delassus
from delassus import World


def wrecking_ball(solver: str) -> World:
    """Make the scene with a scheme that solves with ten sweeps of a solver."""
    parameters = {"sweeps": 10, "stabilization": "baumgarte"}
    return World.scene(
        "wrecking-ball", scheme="velocity", solver=solver, scheme_parameters=parameters
    )


bad = wrecking_ball("pgs")
bad.record(every=2)
bad.step(60)

# %% [markdown]
# The problem of the next frame, and how fast each solver converges on it:

# %%
problem = bad.frame_problem("wrecking ball, frame 60")
print(problem)
candidates = ["pgs", "psor", "nncg", "block-gs", "dense-direct", "auto"]
comparison = delassus.compare(candidates, problem, tol=1e-8, max_sweeps=2_000)
print(comparison)
comparison

# %% [markdown]
# After ten sweeps, the budget of the scheme:

# %%
residuals = {
    name: delassus.solve(problem, name, tol=0.0, max_sweeps=10).residual
    for name in ("pgs", "nncg", "block-gs")
}
print({name: f"{residual:.1e}" for name, residual in residuals.items()})

# %% [markdown]
# The scene again with the best of them, side by side:

# %%
better = min(residuals, key=lambda name: residuals[name])
good = wrecking_ball(better)
good.record(every=2)
good.step(60)
page = delassus.replay({"pgs": bad, better: good}, title="wrecking ball")
page
