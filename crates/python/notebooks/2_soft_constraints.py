# %% [markdown]
# # One spring in five notations
#
# A spring k and a damper d on a row with the effective mass m, stepped implicitly with the step h,
# become a bias and a compliance of the row. ERP and CFM, hertz and ζ, γ and β are other names for
# the same two numbers. Here SymPy derives them, and trajectories of Delassus confirm them.

# %%
import numpy as np
import sympy as sp

from delassus import World

m, k, d, h, x, v = sp.symbols("m k d h x v", positive=True)
after = sp.Symbol("after")

# %% [markdown]
# The implicit spring: force at the end of the step, x⁺ = x + h v⁺.

# %%
implicit = sp.solve(sp.Eq(m * (after - v), -h * (k * (x + h * after) + d * after)), after)[0]

# %% [markdown]
# The row of the frozen problem, v⁺ + R λ + b = 0 with λ = m (v⁺ − v), and b = β_r x, has the
# same velocity for exactly one R and one β_r:

# %%
R, rate = sp.symbols("R beta_r")
row = sp.solve(sp.Eq(after + R * m * (after - v) + rate * x, 0), after)[0]
difference = sp.numer(sp.together(row - implicit))
# zero for every x and v
conditions = sp.Poly(sp.expand(difference), v, x).coeffs()
(found,) = sp.solve(conditions, [R, rate], dict=True)
compliance, bias_rate = sp.simplify(found[R]), sp.simplify(found[rate])
assert sp.simplify(row.subs(found) - implicit) == 0
print("R =", compliance, "  β_r =", bias_rate)

# %% [markdown]
# The names: ERP = h β_r = β, CFM = h R, γ = R; with hertz and ζ, k = m ω² and d = 2 m ζ ω.

# %%
omega, zeta = sp.symbols("omega zeta", positive=True)
by_frequency = {k: m * omega**2, d: 2 * m * zeta * omega}
erp, cfm = h * bias_rate, h * compliance
c = h * omega * (2 * zeta + h * omega)
assert sp.simplify(erp - h * k / (d + h * k)) == 0
assert sp.simplify(cfm - 1 / (d + h * k)) == 0
assert sp.simplify(erp.subs(by_frequency) - h * omega / (2 * zeta + h * omega)) == 0
assert sp.simplify(compliance.subs(by_frequency) - 1 / (m * c)) == 0
# Box2D's mass scale and impulse scale
scale = (1 / m) / (1 / m + compliance)
assert sp.simplify(scale.subs(by_frequency) - c / (1 + c)) == 0

# %% [markdown]
# The recurrence against the engine: two free particles with a stretched spring, 120 steps of
# 1/60 s, in every notation.

# %%
hertz, damping, step, frames = 5.0, 0.3, 1.0 / 60.0, 120
masses = [2.0, 3.0]
numbers = {m: 1.0 / (1.0 / masses[0] + 1.0 / masses[1]), omega: 2.0 * np.pi * hertz, zeta: damping}
advance = sp.lambdify([x, v], implicit.subs(by_frequency).subs({**numbers, h: step}))
stretch, speed, expected = 0.1, 0.0, []
for _ in range(frames):
    speed = advance(stretch, speed)
    stretch += step * speed
    expected.append(stretch)

curves = {}
for form in ("frequency", "spring", "erp-cfm", "beta-gamma", "scales"):
    world = World.scene(
        "two-body-spring",
        scheme="velocity",
        solver="block-gs",
        dt=step,
        form=form,
        hertz=hertz,
        damping_ratio=damping,
        inverse_masses=[1.0 / mass for mass in masses],
        step=step,
    )
    lengths = []
    for _ in range(frames):
        world.step()
        lengths.append(world.poses[1, 0] - world.poses[0, 0] - 1.0)
    curves[form] = np.array(lengths)
    error = np.abs(curves[form] - expected).max()
    print(f"{form:<10} differs from the recurrence by {error:.1e} m")
    assert error < 1e-12

# %% [markdown]
# At another step, what stays constant decides which spring it is: hertz and ζ describe the same
# spring, ERP and CFM another one.

# %%
import matplotlib.pyplot as plt

with plt.style.context("delassus.figures"):
    figure, axes = plt.subplots()
    for form in ("frequency", "erp-cfm"):
        world = World.scene(
            "two-body-spring",
            scheme="velocity",
            solver="block-gs",
            dt=step / 4.0,
            form=form,
            hertz=hertz,
            damping_ratio=damping,
            inverse_masses=[1.0 / mass for mass in masses],
            step=step,
        )
        lengths = []
        for _ in range(4 * frames):
            world.step()
            lengths.append(world.poses[1, 0] - world.poses[0, 0] - 1.0)
        times = step / 4.0 * np.arange(1, 4 * frames + 1)
        axes.plot(times, lengths, label=f"{form}, h/4")
    axes.plot(step * np.arange(1, frames + 1), expected, "--", label="h")
    axes.set(xlabel="time [s]", ylabel="stretch [m]", xlim=(0, 0.8))
    axes.legend()
figure
