"""Creep of a box on a slope below its cone, in engines whose law has a closed form.

The scene is that of experiment 36: 1 kg on its face, 0.3 rad, μ = 0.6, frames of 5 ms.

python3 -m unittest discover -s crates/peers/python/tests
"""
import math
import unittest

from test_delassus_engine import Installed, body, collider, scene

SLOPE, FRICTION, HALF, DT = 0.3, 0.6, (0.5, 0.25, 0.5), 0.005
TANGENT, NORMAL = 9.81 * math.sin(SLOPE), 9.81 * math.cos(SLOPE)
# the moment of the friction presses the lower edge on: normal forces of a contact on either edge
LOADS = [(NORMAL + sign * TANGENT * HALF[1] / HALF[0]) / 4 for sign in (1, -1)]
# MuJoCo's default solref: B and K
DAMPING, STIFFNESS = 2 / (0.95 * 0.02), 1 / (0.95 * 0.02) ** 2
DIGITS = 5e-5


def slope():
    x, y, z = HALF
    moments = [(y * y + z * z) / 3, (x * x + z * z) / 3, (x * x + y * y) / 3]
    ground = collider(0, {"half-space": {"normal": [0.0, 1.0, 0.0]}}, FRICTION)
    box = collider(1, {"box": {"half": list(HALF)}}, FRICTION)
    wanted = scene([body("static", (0.0,) * 3), body("dynamic", (0.0, y, 0.0), 1.0, moments)], [],
                   [ground, box])
    return {**wanted, "gravity": [TANGENT, -NORMAL, 0.0]}


def creep(driver, **parameters):
    """Mean speed over the last 2 of 8 s."""
    assert driver.load(slope(), **parameters)["departures"] == []
    first, last = driver.run(1200, DT)[1], driver.run(400, DT)[1]
    return math.dist(first[:3], last[:3]) / 2.0


def compliance(depth):
    """Impedance d, and (1 − d)/d Â of a body of 1 kg (S.24), (S.25)."""
    x = min(depth / 0.001, 1.0)
    impedance = 0.9 + 0.05 * (2 * x * x if x <= 0.5 else 1 - 2 * (1 - x) ** 2)
    return impedance, (1 - impedance) / impedance


def root(function, low, high):
    """Where a growing function is zero."""
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return low


def elliptic(impratio):
    """v = f_t / (B Σ 1/R_t): every contact creeps at one speed."""
    total = 0.0
    for load in LOADS:
        def sunk(depth):
            impedance, own = compliance(depth)
            return STIFFNESS * impedance * depth / own - load
        total += 2 * impratio / compliance(root(sunk, 0.0, 0.01))[1]
    return TANGENT / (DAMPING * total)


def pyramidal(impratio):
    """Four edges per contact push with (K d r ± B μ v)/R_p or nothing (S.32)."""
    def edges(depth, speed):
        impedance, own = compliance(depth)
        edge = 2 * FRICTION ** 2 / impratio * own * (1 + FRICTION ** 2)
        push, drag = STIFFNESS * impedance * depth, DAMPING * FRICTION * speed
        return [max(0.0, force) / edge for force in (push + drag, push - drag, push, push)]

    def missing(speed):
        friction = 0.0
        for load in LOADS:
            along, against, *_ = edges(root(lambda r: sum(edges(r, speed)) - load, 0.0, 0.01), speed)
            friction += 2 * FRICTION * (along - against)
        return friction - TANGENT
    return root(missing, 0.0, 1.0)


class Creep(Installed):
    def test_mujoco_creeps_by_the_closed_forms_of_both_cones(self):
        for _, driver in self.each(["mujoco"]):
            for cone, expected in (("elliptic", elliptic), ("pyramidal", pyramidal)):
                for impratio in (1.0, 10.0, 100.0):
                    found = creep(driver, cone=cone, impratio=impratio)
                    off = abs(found / expected(impratio) - 1)
                    self.assertLess(off, DIGITS, f"{cone}, {impratio}: {found}")

    def test_noslip_holds_an_ellipse_and_not_this_pyramid(self):
        for _, driver in self.each(["mujoco"]):
            self.assertLess(creep(driver, noslip_iterations=10), 1e-6)
            # it keeps the sum of each pair of edges, and the other pair holds part of the load
            held = creep(driver, cone="pyramidal", noslip_iterations=10)
            self.assertGreater(held, 1e-4)

    def test_ode_creeps_by_its_cfm(self):
        for _, driver in self.each(["ode"]):
            found = creep(driver, cfm=1e-5, quick=False)
            self.assertLess(abs(found / (1e-5 * TANGENT / 4) - 1), DIGITS, found)


if __name__ == "__main__":
    unittest.main()
