"""Worlds: closed forms of motion, controllers, many worlds, refusals."""

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
