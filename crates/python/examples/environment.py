"""A cart with a pole as an environment of Gymnasium."""

import math
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box

from delassus import Floats, World


class CartPole(gymnasium.Env[Floats, Floats]):
    """A cart on a slider with a pole on a hinge; an action of 1 pushes the cart with 20 N."""

    observation_space = Box(-100.0, 100.0, (4,), np.float64)
    action_space = Box(-1.0, 1.0, (1,), np.float64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begin with a small random tilt."""
        super().reset(seed=seed)
        tilt = float(self.np_random.uniform(-0.05, 0.05))
        at = [math.sin(tilt) / 2, math.cos(tilt) / 2, 0.0]
        turned = [0.0, 0.0, -math.sin(tilt / 2), math.cos(tilt / 2)]
        self.world = World(scheme="soft-step", solver="pgs")
        rail = self.world.body()
        self.cart = self.world.body(mass=1.0, moments=[0.1, 0.1, 0.1])
        self.pole = self.world.body(at, mass=0.1, moments=[0.01, 0.001, 0.01], orientation=turned)
        self.world.slider(rail, self.cart, [1, 0, 0])
        self.world.hinge(self.cart, self.pole, [0, 0, 0], [0, 0, 1])
        return self.observe(), {}

    def step(self, action: Floats) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Push the cart for a frame; the episode ends when the pole has fallen."""
        self.world.set_wrench(self.cart, [20.0 * float(action[0]), 0.0, 0.0])
        self.world.step()
        seen = self.observe()
        fallen = bool(abs(seen[2]) > 0.2)
        return seen, 0.0 if fallen else 1.0, fallen, False, {}

    def observe(self) -> Floats:
        """Position and velocity of the cart, angle and spin of the pole."""
        poses, velocities = self.world.poses, self.world.velocities
        angle = -2.0 * math.atan2(poses[self.pole, 5], poses[self.pole, 6])
        spin = -velocities[self.pole, 5]
        return np.array([poses[self.cart, 0], velocities[self.cart, 0], angle, spin])


if __name__ == "__main__":
    cart_pole = CartPole()
    seen, _ = cart_pole.reset(seed=1)
    for frame in range(240):
        force = 25.0 * seen[2] + 5.0 * seen[3] + 1.0 * seen[0] + 1.7 * seen[1]
        seen, _reward, fallen, _cut, _more = cart_pole.step(np.array([force / 20.0]))
        if fallen:
            print(f"fell after {frame} frames")
            break
    else:
        print(f"stood for 240 frames, at an angle of {seen[2]:.4f} rad")
