"""Worlds: closed forms of motion, controllers, many worlds, refusals."""

import numpy as np
import pytest

from delassus import DelassusError, SolverError, Step, World, solve, step_worlds


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


def test_scenes_have_parameters_and_names():
    world = World.scene("stack", scheme="xpbd", solver=None)
    before = world.energy
    world.step(3)
    assert len(world.names) == world.bodies > 1
    assert world.energy["potential"] <= before["potential"] + 1e-6
    with pytest.raises(DelassusError, match="did you mean"):
        World.scene("stak")
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
