"""Worlds: closed forms of motion, controllers, many worlds, refusals."""

import importlib
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from delassus import (
    DelassusError,
    SolverError,
    Step,
    World,
    poses_of,
    solve,
    step_worlds,
    velocities_of,
)


def falling(height):
    world = World(solver="pgs")
    world.body(shape=("half-space",))
    world.body([0.0, height, 0.0], mass=2.0, shape=("sphere", 0.1))
    return world


def test_a_free_body_falls_by_the_sum_of_its_steps():
    world = World((0.0, -8.0, 0.0), scheme="velocity", dt=0.01)
    body = world.body(mass=1.5, velocity=[0.5, 0.0, 0.0])
    world.step(50)
    assert np.allclose(world.velocities[body, :3], [0.5, -4.0, 0.0])
    assert world.time == pytest.approx(0.5)
    assert world.poses[body, 0] == pytest.approx(0.25)


def test_a_ball_comes_to_rest_on_the_ground():
    world = falling(0.4)
    world.step(120)
    assert world.poses[1, 1] == pytest.approx(0.1, abs=0.01)
    contacts = world.contacts
    assert contacts.bodies.tolist() == [[0, 1]]
    assert abs(contacts.normals[0, 1]) == pytest.approx(1.0)
    assert contacts.separations[0] == pytest.approx(0.0, abs=0.01)
    problem = world.frame_problem()
    solved = solve(problem, "block-gs", tol=1e-10)
    # weight times the step, up to what the velocity left over takes
    weight = 2.0 * 9.81 * world.dt
    assert solved.impulses[0] == pytest.approx(weight, rel=0.1)


def test_a_controller_acts_in_every_frame():
    world = World((0.0, 0.0, 0.0), scheme="velocity", dt=0.1)
    body = world.body(mass=2.0)
    times = []

    def push(world):
        times.append(world.time)
        world.set_wrench(body, [4.0, 0.0, 0.0])

    world.step(5, before=push)
    assert np.allclose(times, [0.0, 0.1, 0.2, 0.3, 0.4])
    assert world.velocities[body, 0] == pytest.approx(4.0 / 2.0 * 0.5)


def test_many_worlds_have_the_bits_of_each_alone():
    heights = [0.3 + 0.05 * number for number in range(9)]
    alone = [falling(height) for height in heights]
    for world in alone:
        world.step(20)
    for threads in (1, 2, 5):
        together = [falling(height) for height in heights]
        step_worlds(together[::-1], 20, threads=threads)
        assert [w.state_hash for w in together] == [w.state_hash for w in alone]


def test_copies_go_on_alike_and_apart():
    world = falling(0.3)
    world.step(5)
    twin, other = world.copy(), world.copy()
    other.set_gravity([0.0, -1.0, 0.0])
    step_worlds([world, twin, other], 10)
    assert twin.state_hash == world.state_hash != other.state_hash
    poses, velocities = poses_of([world, twin, other]), velocities_of([world, twin, other])
    assert poses.shape == (3, 2, 7) and velocities.shape == (3, 2, 6)
    assert np.array_equal(poses[2], other.poses)
    assert np.array_equal(velocities[0], world.velocities)
    assert poses_of([]).shape == (0, 0, 7)
    with pytest.raises(DelassusError, match="world 1 has 0 bodies"):
        poses_of([world, World()])
    with pytest.raises(DelassusError, match="a world is there twice"):
        step_worlds([world, world])


def test_a_controller_steers_many_worlds():
    worlds = [World((0.0, 0.0, 0.0), scheme="velocity", dt=0.1) for _ in range(20)]
    for world in worlds:
        world.body(mass=2.0)

    def push(worlds):
        for force, world in enumerate(worlds):
            world.set_wrench(0, [float(force), 0.0, 0.0])

    step_worlds(worlds, 3, threads=2, before=push)
    speeds = velocities_of(worlds)[:, 0, 0]
    assert np.allclose(speeds, np.arange(20) / 2.0 * 0.3)


def test_the_first_world_that_fails_is_named():
    worlds = [falling(0.1) for _ in range(30)]
    for index in (12, 25):
        worlds[index] = World(scheme="velocity", solver="lemke")
        worlds[index].body(shape=("half-space",))
        worlds[index].body([0.0, 0.1, 0.0], mass=2.0, shape=("sphere", 0.1))
    with pytest.raises(SolverError, match="world 12"):
        step_worlds(worlds, 2, threads=3)
    assert worlds[29].time == pytest.approx(2.0 / 60.0)


def test_scenes_have_parameters_and_names():
    world = World.scene("vertical-stack", scheme="xpbd", solver=None)
    before = world.energy
    world.step(3)
    assert len(world.names) == world.bodies > 1
    assert world.energy["potential"] <= before["potential"] + 1e-6
    with pytest.raises(DelassusError, match="did you mean"):
        World.scene("vertical-stak")
    with pytest.raises(DelassusError, match="scheme"):
        World(scheme="soft-step", solver=None)


def test_a_hammer_swings_by_the_closed_form():
    step = Step([0.0, -10.0, 0.0])
    wall = step.body()
    rod = step.body([0.5, 0.0, 0.0], mass=1.0, moments=[1e-6 / 12, 1 / 12, 1 / 12])
    step.hinge(wall, rod, [0, 0, 0], [0, 0, 1])
    after = solve(step.build(0.01), "block-gs", tol=1e-12).velocities[rod]
    assert after[1] + 0.5 * after[5] == pytest.approx(-1.5 * 10.0 * 0.01, rel=1e-9)


def test_bad_edits_leave_the_world_as_it_was():
    world = World()
    for arguments, text in [
        ({"mass": 0.0}, "mass"),
        ({"mass": 1.0, "shape": ("spher", 1.0)}, "no shape"),
        ({"mass": 1.0, "shape": ("sphere", -1.0)}, "radius"),
        ({"mass": 1.0, "orientation": [0, 0, 0, 0]}, "orientation"),
        ({"position": [0.0, np.nan, 0.0]}, "position"),
        ({"position": [0.0, 1.0]}, "position has 2 numbers"),
    ]:
        with pytest.raises(DelassusError, match=text):
            world.body(**arguments)
        assert world.bodies == 0
    with pytest.raises(DelassusError, match="0 bodies"):
        world.set_velocity(3, [0, 0, 0])
    world.dt = -1.0
    with pytest.raises(SolverError, match="time step"):
        world.step()


EXAMPLES = Path(__file__).parent.parent / "examples"


class Descent:
    """Block descent on every law that a scheme can freeze."""

    def prepare(self, problem, start):
        self.problem, self.x = problem, start.copy()
        self.matrix, self.b = problem.A + problem.R, problem.b

    def iterate(self, n):
        for block in self.problem.blocks * n:
            rows = block.rows
            velocity = self.matrix[rows] @ self.x + self.b[rows]
            velocity = self.problem.corrected(velocity, block.index)
            step = 1.0 / np.trace(self.matrix[rows, rows])
            self.x[rows] = self.problem.project(self.x[rows] - step * velocity, block.index)

    def impulses(self):
        return self.x


def sliding(solver, **parameters):
    """Make a box of 2 kg that slides at 3 m/s on the ground, friction 0.3."""
    world = World(
        (0.0, -10.0, 0.0),
        scheme="velocity",
        solver=solver,
        scheme_parameters={"sweeps": 200, **parameters},
        dt=0.01,
    )
    world.body(shape=("half-space",), friction=0.3)
    world.body(
        [0.0, 0.1, 0.0],
        mass=2.0,
        shape=("box", 0.4, 0.1, 0.4),
        velocity=[3.0, 0.0, 0.0],
        friction=0.3,
    )
    return world


def test_a_solver_of_python_drives_a_scheme():
    world = sliding(Descent)
    world.step(20)
    # friction takes μ g per second, whatever the mass
    assert world.velocities[1, 0] == pytest.approx(3.0 - 0.3 * 10.0 * 0.2, abs=1e-3)
    twin = world.copy()
    world.step(5)
    step_worlds([twin], 5)
    assert twin.state_hash == world.state_hash
    with pytest.raises(DelassusError, match="solver_parameters are for solvers by name"):
        World(solver=Descent, solver_parameters={"omega": 1.0})
    with pytest.raises(DelassusError, match="has no method iterate"):
        World(solver=type("Half", (), {"prepare": None}))


def test_a_class_and_its_name_step_alike(monkeypatch, tmp_path):
    shutil.copy(EXAMPLES / "gauss_seidel.py", tmp_path)
    source = (
        "from gauss_seidel import BlockDescent\n\nclass AllLaws(BlockDescent):\n    laws = None\n"
    )
    (tmp_path / "all_laws.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    own = importlib.import_module("all_laws").AllLaws
    worlds = []
    for solver in (own, "py:all_laws:AllLaws"):
        world = World(scheme="velocity", solver=solver, scheme_parameters={"sweeps": 30})
        world.body(shape=("half-space",))
        world.body([0.0, 0.15, 0.0], mass=2.0, shape=("sphere", 0.1), velocity=[0.5, 0.0, 0.0])
        world.step(12)
        worlds.append(world)
    assert worlds[0].contacts.separations.size == 1
    assert worlds[0].state_hash == worlds[1].state_hash


def test_many_worlds_have_own_solvers_on_threads():
    worlds = [sliding(Descent) for _ in range(17)]
    for index, world in enumerate(worlds):
        world.set_velocity(1, [2.0 + 0.1 * index, 0.0, 0.0])
    alone = [world.copy() for world in worlds]
    for world in alone:
        world.step(3)
    step_worlds(worlds, 3, threads=3)
    assert [world.state_hash for world in worlds] == [world.state_hash for world in alone]


def test_exceptions_of_a_solver_leave_the_world_as_it_was():
    class Fails(Descent):
        def iterate(self, n):
            raise ZeroDivisionError("on purpose")

    world = sliding(Fails)
    before = world.state_hash
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        world.step(3)
    assert world.state_hash == before
    worlds = [sliding("pgs"), sliding(Fails), sliding("pgs")]
    with pytest.raises(SolverError, match="world 1: ZeroDivisionError: on purpose") as raised:
        step_worlds(worlds, 2, threads=2)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    assert worlds[2].time == pytest.approx(0.02)


@pytest.mark.parametrize(
    "use",
    [lambda world: world.poses, lambda world: world.step(), lambda world: step_worlds([world])],
    ids=["poses", "step", "step_worlds"],
)
def test_a_solver_cannot_use_the_world_that_it_steps(use):
    class Curious(Descent):
        def iterate(self, n):
            use(world)

    world = sliding(Curious)
    with pytest.raises(DelassusError, match="the world is being stepped"):
        world.step()
    # other worlds are free, and this one after the step
    assert world.poses.shape == (2, 7)


def test_other_threads_wait_for_a_world_that_steps():
    reached, seen = threading.Event(), []

    class Slow(Descent):
        def iterate(self, n):
            reached.set()
            super().iterate(n)

    world = sliding(Slow)

    def watch():
        reached.wait(timeout=60)
        seen.append(world.time)

    watching = threading.Thread(target=watch)
    watching.start()
    world.step()
    watching.join(timeout=60)
    assert not watching.is_alive() and seen == [pytest.approx(0.01)]


INTERRUPTED = """
import os, signal, threading, time
from delassus import World, step_worlds

worlds = [World.scene("vertical-stack", n=6) for _ in range(16)]
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try:
    step_worlds(worlds, 10**7, threads=2)
except KeyboardInterrupt:
    print("ended", time.monotonic() - began < 60.0, max(world.time for world in worlds) > 0.0)
"""


def test_ctrl_c_ends_many_steps():
    said = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=300
    )
    assert said.stdout == "ended True True\n", said.stderr
