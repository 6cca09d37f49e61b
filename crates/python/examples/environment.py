"""A cart with a pole as an environment: reset, step, observation, reward; Gymnasium's interface."""

import math

import numpy as np

from delassus import Floats, World


class CartPole:
    """A cart on a slider, a pole on a hinge; the action is a force on the cart [N]."""

    def __init__(self, dt: float = 1.0 / 60.0) -> None:
        """Make the environment; `reset` begins an episode."""
        self.dt = dt
        self.world = World()

    def reset(self, seed: int = 0) -> Floats:
        """Begin with a small tilt that the seed draws, and return the observation."""
        tilt = float(np.random.default_rng(seed).uniform(-0.05, 0.05))
        at = [math.sin(tilt) / 2, math.cos(tilt) / 2, 0.0]
        turned = [0.0, 0.0, -math.sin(tilt / 2), math.cos(tilt / 2)]
        world = World(scheme="soft-step", solver="pgs", dt=self.dt)
        rail = world.body()
        self.cart = world.body(mass=1.0, moments=[0.1, 0.1, 0.1])
        self.pole = world.body(at, mass=0.1, moments=[0.01, 0.001, 0.01], orientation=turned)
        world.slider(rail, self.cart, [1, 0, 0])
        world.hinge(self.cart, self.pole, [0, 0, 0], [0, 0, 1])
        self.world = world
        return self.observe()

    def step(self, action: float) -> tuple[Floats, float, bool]:
        """Push the cart for a frame; return observation, reward and whether the pole has fallen."""
        self.world.set_wrench(self.cart, [action, 0.0, 0.0])
        self.world.step()
        seen = self.observe()
        fallen = abs(seen[2]) > 0.2
        return seen, 0.0 if fallen else 1.0, bool(fallen)

    def observe(self) -> Floats:
        """Position and velocity of the cart, angle and spin of the pole."""
        poses, velocities = self.world.poses, self.world.velocities
        angle = -2.0 * math.atan2(poses[self.pole, 5], poses[self.pole, 6])
        spin = -velocities[self.pole, 5]
        return np.array([poses[self.cart, 0], velocities[self.cart, 0], angle, spin])


if __name__ == "__main__":
    cart_pole = CartPole()
    seen = cart_pole.reset(seed=1)
    for frame in range(240):
        force = 25.0 * seen[2] + 5.0 * seen[3] + 1.0 * seen[0] + 1.7 * seen[1]
        seen, _, fallen = cart_pole.step(float(force))
        if fallen:
            print(f"fell after {frame} frames")
            break
    else:
        print(f"stood for 240 frames, at an angle of {seen[2]:.4f} rad")
