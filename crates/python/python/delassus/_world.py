"""Bodies in space: the problem of one step, and worlds that move."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from delassus import _native
from delassus._arrays import Floats, PathLike, quaternion, triple
from delassus._native import DelassusError, NativeWorld
from delassus._own import AnySolver, declare, maker
from delassus._problem import Problem

Numbers: TypeAlias = "Sequence[float] | Floats"

_NO_TURN = (0.0, 0.0, 0.0, 1.0)
_ZERO = (0.0, 0.0, 0.0)


class Contacts(NamedTuple):
    """The contact points of a world (k of them)."""

    bodies: NDArray[np.int64]
    """The two bodies (k x 2)."""
    points: Floats
    """Where they touch (k x 3) [m]."""
    normals: Floats
    """Unit normals from the first body to the second (k x 3)."""
    separations: Floats
    """Distances, negative where they overlap (k) [m]."""


class _Bodies:
    """What bodies, joints and contacts are added to."""

    _native: NativeWorld

    def body(
        self,
        position: Numbers = _ZERO,
        *,
        mass: float | None = None,
        moments: Numbers | None = None,
        shape: Sequence[Any] | None = None,
        friction: float = 0.5,
        orientation: Numbers = _NO_TURN,
        velocity: Numbers = _ZERO,
        spin: Numbers = _ZERO,
    ) -> int:
        """Add a body and return its index; without a `mass` [kg] it is fixed.

        `moments` are the principal moments of inertia [kg·m²]; without them a body has those of its
        shape, or is a point. A `shape` is ("sphere", radius), ("box", x, y, z) with halves of the
        edges, ("capsule", half length, radius), ("cylinder", half length, radius) or
        ("half-space",) [m]. `orientation` is a quaternion (x, y, z, w).
        """
        state = (
            triple("position", position),
            quaternion("orientation", orientation),
            triple("velocity", velocity),
            triple("spin", spin),
        )
        own = None if moments is None else triple("moments", moments)
        made = None
        if shape is not None:
            kind, *sizes = shape
            made = (str(kind), [float(size) for size in sizes])
        return self._native.add_body(mass, own, state, made, friction)

    def ball_joint(self, a: int, b: int, anchor: Numbers) -> None:
        """Join two bodies at a point [m]: three rows."""
        self._native.add_joint("ball", a, b, triple("anchor", anchor), _ZERO)

    def hinge(self, a: int, b: int, anchor: Numbers, axis: Numbers) -> None:
        """Join two bodies at a point [m]; the rotation about `axis` is free: five rows."""
        self._native.add_joint("hinge", a, b, triple("anchor", anchor), triple("axis", axis))

    def slider(self, a: int, b: int, axis: Numbers) -> None:
        """Join two bodies; the displacement along `axis` is free: five rows."""
        self._native.add_joint("slider", a, b, triple("axis", axis), _ZERO)

    def fixed(self, a: int, b: int) -> None:
        """Join two bodies so that nothing is free: six rows."""
        self._native.add_joint("fixed", a, b, _ZERO, _ZERO)

    def distance(self, a: int, b: int, start: Numbers, end: Numbers) -> None:
        """Put a rod between a point of `a` and a point of `b` [m]: one row."""
        self._native.add_joint("distance", a, b, triple("start", start), triple("end", end))

    def contact(self, a: int, b: int, point: Numbers, normal: Numbers, friction: float) -> None:
        """Add a contact at a point [m] with a normal from `a` to `b` and μ [-]: three rows."""
        self._native.add_contact(a, b, triple("point", point), triple("normal", normal), friction)


class Step(_Bodies):
    """Collects bodies, joints and contacts; `build` freezes the problem of one step.

    >>> step = Step()
    >>> ice = step.body()
    >>> puck = step.body(mass=0.2, velocity=[2.0, -1.0, 0.0])
    >>> step.contact(ice, puck, [0, 0, 0], [0, 1, 0], 0.3)
    >>> from delassus import solve
    >>> solve(step.build(0.01), "pgs").velocities[puck].round(9).tolist()[:3]
    [1.7, 0.0, 0.0]
    """

    def __init__(self, gravity: Numbers = _ZERO) -> None:
        """Begin without bodies; `gravity` [m/s²] is zero unless given."""
        self._native = NativeWorld(triple("gravity", gravity))

    def build(self, dt: float, name: str = "step") -> Problem:
        """Freeze the problem of a step of `dt` [s]: joints first, then contacts."""
        return Problem(self._native.freeze(dt, name))


class World(_Bodies):
    """Bodies that move, with the scheme that advances them.

    >>> world = World.scene("vertical-stack", scheme="soft-step", solver="pgs")
    >>> world.step(10)
    >>> world.poses.shape == (world.bodies, 7), round(world.time, 9)
    (True, 0.166666667)
    """

    def __init__(
        self,
        gravity: Numbers = (0.0, -9.81, 0.0),
        *,
        scheme: str = "soft-step",
        solver: str | AnySolver | None = "pgs",
        scheme_parameters: Mapping[str, Any] | None = None,
        solver_parameters: Mapping[str, Any] | None = None,
        dt: float = 1.0 / 60.0,
    ) -> None:
        """Begin without bodies.

        `solver` is a name or your own class or function; None is for schemes that contain a solver.
        """
        self._native = NativeWorld(triple("gravity", gravity))
        self.dt = dt
        self._advance_by(scheme, solver, scheme_parameters, solver_parameters)

    @classmethod
    def scene(
        cls,
        scene: PathLike,
        *,
        scheme: str = "soft-step",
        solver: str | AnySolver | None = "pgs",
        scheme_parameters: Mapping[str, Any] | None = None,
        solver_parameters: Mapping[str, Any] | None = None,
        dt: float = 1.0 / 60.0,
        **parameters: Any,
    ) -> World:
        """Make the world of a scene by its name, with its `parameters`, or of a scene file.

        Names with the ending .json or .toml are files. `list_scenes()` has the others.
        """
        path = os.fspath(scene)
        world = cls.__new__(cls)
        if Path(path).suffix in (".json", ".toml"):
            if parameters:
                raise DelassusError(f"{path}: a scene file has no parameters")
            world._native = NativeWorld.load(path)
        else:
            world._native = NativeWorld.scene(path, json.dumps(parameters))
        world.dt = dt
        world._advance_by(scheme, solver, scheme_parameters, solver_parameters)
        return world

    def _advance_by(
        self,
        scheme: str,
        solver: str | AnySolver | None,
        scheme_parameters: Mapping[str, Any] | None,
        solver_parameters: Mapping[str, Any] | None,
    ) -> None:
        named, own = None, None
        if isinstance(solver, str):
            named = (solver, json.dumps(dict(solver_parameters or {})))
        elif solver_parameters:
            raise DelassusError(
                "solver_parameters are for solvers by name: give your own class its numbers"
            )
        elif solver is not None:
            own = (maker(solver), declare(solver))
        self._method = (scheme, json.dumps(dict(scheme_parameters or {})), named, own)
        self._native.set_scheme(*self._method)

    def copy(self) -> World:
        """Return a world in the same state, with the same scheme and solver; not recorded."""
        world = type(self).__new__(type(self))
        world._native = self._native.copy()
        world.dt = self.dt
        world._method = self._method
        world._native.set_scheme(*world._method)
        return world

    def step(self, frames: int = 1, *, before: Callable[[World], None] | None = None) -> None:
        """Advance by frames of `dt`; `before`, a controller, is called before each of them.

        Raises `SolverError` if a step fails, and what your own solver raises; the world is then as
        it was before that frame.
        """
        if frames < 0:
            raise DelassusError(f"frames = {frames}: a whole number, 0 or more")
        if before is None:
            self._native.step(frames, self.dt)
            return
        for _ in range(frames):
            before(self)
            self._native.step(1, self.dt)

    def record(self, every: int = 1) -> None:
        """Keep one in `every` frames from now on, for `replay`; bodies cannot be added then."""
        self._native.record(every)

    def frame_problem(self, name: str = "frame") -> Problem:
        """Freeze the problem of the next step of `dt`, for any solver."""
        return Problem(self._native.freeze(self.dt, name))

    @property
    def time(self) -> float:
        """Time since the start [s]."""
        return self._native.time

    @property
    def bodies(self) -> int:
        """Number of bodies N."""
        return self._native.bodies

    @property
    def names(self) -> list[str]:
        """Names of the bodies."""
        return self._native.names

    @property
    def poses(self) -> Floats:
        """Positions [m] and orientations (x, y, z, w) of the bodies (N x 7)."""
        return self._native.poses()

    @property
    def velocities(self) -> Floats:
        """Linear [m/s] and angular [rad/s] velocities of the bodies (N x 6)."""
        return self._native.velocities()

    @property
    def contacts(self) -> Contacts:
        """The contacts that the last step found or that were added."""
        return Contacts(*self._native.contacts())

    @property
    def energy(self) -> dict[str, float]:
        """Kinetic, potential and spring energy [J]."""
        kinetic, potential, spring = self._native.energy()
        return {"kinetic": kinetic, "potential": potential, "spring": spring}

    @property
    def state_hash(self) -> int:
        """A number that is equal for equal states, bit for bit."""
        return self._native.state_hash()

    def set_gravity(self, gravity: Numbers) -> None:
        """Change gravity [m/s²]."""
        self._native.set_gravity(triple("gravity", gravity))

    def set_pose(self, body: int, position: Numbers, orientation: Numbers = _NO_TURN) -> None:
        """Put a body elsewhere."""
        turned = quaternion("orientation", orientation)
        self._native.set_pose(body, triple("position", position), turned)

    def set_velocity(self, body: int, velocity: Numbers, spin: Numbers = _ZERO) -> None:
        """Change the velocity of a body."""
        self._native.set_velocity(body, triple("velocity", velocity), triple("spin", spin))

    def set_wrench(self, body: int, force: Numbers, torque: Numbers = _ZERO) -> None:
        """Set the force [N] and torque [N·m] that act on a body until they are changed."""
        self._native.set_wrench(body, triple("force", force), triple("torque", torque))


def step_worlds(
    worlds: Sequence[World],
    frames: int = 1,
    *,
    threads: int | None = None,
    before: Callable[[Sequence[World]], None] | None = None,
) -> None:
    """Advance many worlds on threads, each by frames of its `dt`.

    Every world gets the bits that it would get alone, on any number of threads; without `threads`
    there is one per processor. Worlds with different `dt` are advanced group by group. `before`, a
    controller of all of them, is called before each frame. Raises `SolverError` with the first
    world that fails; the others go on. Ctrl-C ends the call; some worlds may then have made more
    frames than others.
    """
    if frames < 0:
        raise DelassusError(f"frames = {frames}: a whole number, 0 or more")
    count = threads if threads is not None else os.cpu_count() or 1
    if len({id(world) for world in worlds}) < len(worlds):
        raise DelassusError("a world is there twice: each is advanced by one thread")
    groups: dict[float, list[NativeWorld]] = {}
    for world in worlds:
        groups.setdefault(world.dt, []).append(world._native)
    for part in [frames] if before is None else [1] * frames:
        if before is not None:
            before(worlds)
        for dt, group in groups.items():
            _native.step_worlds(group, part, dt, count)


def poses_of(worlds: Sequence[World]) -> Floats:
    """Return the poses of n worlds with N bodies each (n x N x 7), as `World.poses` has them."""
    poses = _native.gather_poses([world._native for world in worlds])
    return poses.reshape(len(worlds), len(poses) // max(len(worlds), 1), 7)


def velocities_of(worlds: Sequence[World]) -> Floats:
    """Return the velocities of n worlds with N bodies each (n x N x 6)."""
    velocities = _native.gather_velocities([world._native for world in worlds])
    return velocities.reshape(len(worlds), len(velocities) // max(len(worlds), 1), 6)
