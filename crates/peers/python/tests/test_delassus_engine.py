"""Tests of the Python side of engines; they need the standard library alone, and those of engines
the engine, or they say that it is not there.

python3 -m unittest discover -s crates/peers/python/tests
"""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PEERS, ROOT = HERE.parents[1], HERE.parents[3]
GRAVITY = 10.0


def body(kind, position, mass=1.0, moments=(1 / 6,) * 3, **more):
    still = {"velocity": [0.0] * 3, "spin": [0.0] * 3, "orientation": [0.0, 0.0, 0.0, 1.0]}
    inertia = {"mass": mass, "moments": list(moments), "axes": [0.0, 0.0, 0.0, 1.0]}
    return {"name": "", "kind": kind, "inertia": inertia, "position": list(position), **still,
            "force": [0.0] * 3, "torque": [0.0] * 3, "gravity_scale": 1.0, "linear_damping": 0.0,
            "angular_damping": 0.0, "lock_translation": [False] * 3, "lock_rotation": [False] * 3,
            **more}


def collider(owner, shape, friction=0.5, restitution=0.0, group=0):
    material = {"friction": friction, "kinetic_friction": None, "restitution": restitution,
                "rolling_friction": 0.0, "spinning_friction": 0.0, "surface_velocity": [0.0] * 3}
    return {"body": owner, "shape": shape, "position": [0.0] * 3, "density": 1.0,
            "orientation": [0.0, 0.0, 0.0, 1.0], "material": material,
            "filter": {"category": 1, "mask": 2 ** 32 - 1, "group": group}}


def scene(bodies, joints=(), colliders=(), gravity=GRAVITY):
    rules = {"friction": "geometric", "restitution": "maximum", "rolling": "maximum"}
    return {"gravity": [0.0, -gravity, 0.0], "bodies": list(bodies), "manifolds": [],
            "joints": [{"name": "", "constraint": joint, "softness": "rigid"} for joint in joints],
            "colliders": list(colliders),
            "contacts": {"law": "disc", "apart": [], "combining": rules}}


def stack(count, friction=0.5):
    """Cubes of 1 m on the ground, as they rest."""
    ground = collider(0, {"half-space": {"normal": [0.0, 1.0, 0.0]}}, friction)
    cubes = [body("dynamic", (0.0, 0.5 + k, 0.0)) for k in range(count)]
    boxes = [collider(k + 1, {"box": {"half": [0.5] * 3}}) for k in range(count)]
    return scene([body("static", (0.0,) * 3), *cubes], [], [ground, *boxes])


def planar(wanted):
    """The same scene with bodies that stay in the plane of x and y."""
    locks = {"lock_translation": [False, False, True], "lock_rotation": [True, True, False]}
    moved = [{**one, **(locks if one["kind"] == "dynamic" else {})} for one in wanted["bodies"]]
    return {**wanted, "bodies": moved}


class Driver:
    """One process of an engine."""

    def __init__(self, words, folder):
        path = os.pathsep.join([str(PEERS / "python"), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(words, cwd=folder, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        env={**os.environ, "PYTHONPATH": path})
        head = self.process.stdout.read(4)
        self.hello = self.read(head)[0] if head else None
        if self.hello:
            known = self.hello["parameters"]
            self.parameters = {one["name"]: one["default"] for one in known}

    def read(self, head=None):
        size = int.from_bytes(head or self.process.stdout.read(4), "little")
        message, numbers = json.loads(self.process.stdout.read(size)), []
        for entry in message.get("arrays", ()):
            data = self.process.stdout.read(8 * entry["length"])
            numbers = list(memoryview(data).cast("d"))
        return message, numbers

    def ask(self, message, data=b""):
        arrays = [{"name": "scene", "dtype": "u8", "length": len(data)}] if data else []
        text = json.dumps({**message, "id": 7, "arrays": arrays}).encode()
        self.process.stdin.write(len(text).to_bytes(4, "little") + text + data)
        self.process.stdin.flush()
        answer = self.read()
        assert answer[0]["id"] == 7
        return answer

    def load(self, wanted, **given):
        if self.hello["engine"] == "box2d":
            wanted = planar(wanted)
        parameters = {**self.parameters, **given}
        return self.ask({"op": "load", "parameters": parameters}, json.dumps(wanted).encode())[0]

    def run(self, frames, dt=1 / 60):
        """States per body after so many frames."""
        for _ in range(frames):
            answer, states = self.ask({"op": "step", "dt": dt})
            assert answer["step_s"] >= 0, answer
        return [states[i:i + 13] for i in range(0, len(states), 13)]

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


class Protocol(unittest.TestCase):
    """The engine that docs/engines.md prints."""

    def setUp(self):
        text = (ROOT / "docs/engines.md").read_text()
        program = re.search(r"```python\n(from delassus_engine.*?)```", text, re.S)[1]
        self.folder = tempfile.TemporaryDirectory()
        pathlib.Path(self.folder.name, "fall.py").write_text(program)
        self.driver = Driver([sys.executable, "fall.py"], self.folder.name)

    def tearDown(self):
        self.driver.end()
        self.folder.cleanup()

    def test_a_body_falls_by_the_sum_of_the_steps(self):
        self.assertEqual(self.driver.hello["engine"], "fall")
        ball = body("dynamic", (0.0, 5.0, 0.0), velocity=[1.0, 2.0, 0.0])
        answer = self.driver.load(scene([body("static", (1.0, 0.0, 0.0)), ball]))
        self.assertEqual(answer["departures"], [])
        fixed, moved = self.driver.run(30, 0.01)
        self.assertEqual(fixed[:3], [1.0, 0.0, 0.0])
        # h² g (1 + 2 + … + 30)
        height = 5.0 + 2.0 * 0.3 - GRAVITY * 0.01 ** 2 * 465
        self.assertTrue(math.isclose(moved[1], height, rel_tol=1e-12), moved)
        self.assertTrue(math.isclose(moved[8], 2.0 - GRAVITY * 0.3, rel_tol=1e-12), moved)

    def test_planar_engines_take_planar_scenes(self):
        sys.path.insert(0, str(PEERS / "python"))
        from delassus_engine import Scene, Unsupported
        flat = json.dumps(planar(stack(1)))
        self.assertEqual(Scene(flat, planar=True).departures, [])
        for text, is_planar in ((flat, False), (json.dumps(stack(1)), True)):
            with self.assertRaises(Unsupported):
                Scene(text, is_planar)

    def test_what_it_does_not_represent_is_refused_with_its_place(self):
        moved = scene([body("kinematic", (0.0,) * 3)])
        damped = scene([body("dynamic", (0.0,) * 3, linear_damping=0.1)])
        weak = scene([body("static", (0.0,) * 3), body("dynamic", (0.0,) * 3)])
        weak["joints"] = [{"constraint": {"point": {"bodies": [0, 1]}}, "softness": "rigid",
                           "max_force": 3.0}]
        for wanted, words in (
                (moved, "bodies[0] is kinematic"), (damped, "bodies[0] has forces"),
                (scene([body("dynamic", (0.0,) * 3, moments=(0.0,) * 3)]), "point mass"),
                (weak, "joints[0] (point) has a limit"), (stack(1), "colliders[0] (half-space)"),
                ({**stack(1), "manifolds": [1]}, "manifolds")):
            answer = self.driver.load(wanted)
            self.assertIn(words, answer.get("unsupported", ""), answer)
        self.assertIn("unsupported op", self.driver.ask({"op": "sing"})[0]["error"])

    def test_a_failed_step_is_an_error_and_the_process_goes_on(self):
        self.assertIn("KeyError", self.driver.ask({"op": "step", "dt": 0.1})[0]["error"])
        self.assertEqual(self.driver.load(scene([body("dynamic", (0.0,) * 3)]))["departures"], [])


class Filters(unittest.TestCase):
    def test_pairs_of_one_group_and_of_joints_do_not_touch(self):
        sys.path.insert(0, str(PEERS / "python"))
        from delassus_engine import Scene, Unsupported, combine
        boxes = {"box": {"half": [0.5] * 3}}
        bodies = [body("dynamic", (float(k), 0.0, 0.0)) for k in range(4)]
        point = {"point": {"bodies": [0, 3], "anchors": [[0.0] * 3] * 2}}
        groups = [collider(k, boxes, group=g) for k, g in enumerate((0, 2, 2, 0))]
        apart = Scene(json.dumps(scene(bodies, [point], groups))).apart
        self.assertEqual(apart, {frozenset((0, 3)), frozenset((1, 2))})
        mixed = [*groups, collider(1, boxes)]
        with self.assertRaises(Unsupported):
            Scene(json.dumps(scene(bodies, [], mixed)))
        self.assertTrue(math.isclose(combine("geometric", 0.4, 0.9), 0.6))


ENGINES = ("mujoco", "rapier", "bullet", "ode", "box3d", "box2d")


class Installed(unittest.TestCase):
    """Tests of engines that are installed."""

    def each(self, names=ENGINES):
        """Those that start; the others are named."""
        for name in names:
            python = os.environ.get("DELASSUS_PEERS_VENV")
            python = str(pathlib.Path(python, "bin/python")) if python else sys.executable
            driver = Driver([python, "engine.py"], PEERS / name)
            self.addCleanup(driver.end)
            if driver.hello is None:
                print(f"skipped: the engine {name} is not installed", file=sys.stderr)
                continue
            yield name, driver


class Engines(Installed):
    """Closed forms that every engine must meet."""

    def test_a_stack_stands_and_repeats_its_bits(self):
        for name, driver in self.each():
            self.assertEqual(driver.load(stack(4))["departures"], [], name)
            first = driver.run(120)
            for k, state in enumerate(first[1:]):
                self.assertLess(abs(state[1] - 0.5 - k), 0.01, name)
                self.assertLess(math.hypot(*state[7:10]), 0.02, name)
            driver.load(stack(4))
            self.assertEqual(first, driver.run(120), name)

    def test_a_compound_pendulum_has_its_period(self):
        """Half a period from 0.1 rad: T = 2π √(I/(m g l)) (1 + θ²/16), I = m l² + I_zz."""
        sine, cosine = math.sin(0.1), math.cos(0.1)
        turned = [0.0, 0.0, math.sin(0.05), math.cos(0.05)]
        bob = body("dynamic", (sine, -cosine, 0.0), 2.0, (0.1, 0.1, 0.15), orientation=turned)
        ends = [[0.0] * 3, [0.0, 1.0, 0.0]]
        for kind, more in (("point", {}), ("hinge", {"axes": [[0.0, 0.0, 1.0]] * 2})):
            joint = {kind: {"bodies": [0, 1], "anchors": ends, **more}}
            wanted = scene([body("static", (0.0,) * 3), bob], [joint])
            period = 2 * math.pi * math.sqrt(2.15 / 20.0) * (1 + 0.01 / 16)
            for name, driver in self.each():
                self.assertEqual(driver.load(wanted, substeps=16)["departures"], [], name)
                state = driver.run(100, period / 200)[1]
                self.assertLess(abs(state[0] + sine), 2e-3, f"{name}, {kind}")
                self.assertLess(abs(state[2]), 1e-5, f"{name}, {kind}")

    def test_a_body_keeps_its_axes_of_inertia_and_its_spin(self):
        """Free rotation about the middle axis: momentum and energy are kept."""
        half = math.sqrt(0.5)
        free = body("dynamic", (0.0,) * 3, 1.0, (0.1, 0.2, 0.3), spin=[0.02, 3.0, 0.0])
        free["inertia"]["axes"] = [half, 0.0, 0.0, half]  # y and z change places
        energy = 0.5 * (0.1 * 0.02 ** 2 + 0.3 * 9.0)
        for name, driver in self.each():
            if name == "box2d":  # it has one axis
                continue
            driver.load(scene([free], gravity=0.0), substeps=8)
            state = driver.run(60)[0]
            self.assertLess(abs(math.hypot(*state[10:13]) - 3.0), 0.01, name)
            self.assertLess(abs(0.5 * 0.3 * state[11] ** 2 - energy), 0.02 * energy, name)

    def test_friction_of_unlike_surfaces_is_told_where_it_is_another(self):
        for name, driver in self.each():
            answer = driver.load(stack(1, friction=0.3))
            told = any("friction of unlike surfaces" in text for text in answer["departures"])
            self.assertEqual(told, name == "mujoco", answer)

    def test_restitution_is_told_where_it_is_left_out(self):
        ball = {"sphere": {"radius": 0.25}}
        ground = {"half-space": {"normal": [0.0, 1.0, 0.0]}}
        wanted = scene([body("static", (0.0,) * 3), body("dynamic", (0.0, 1.25, 0.0))], [],
                       [collider(0, ground, restitution=0.8), collider(1, ball, restitution=0.8)])
        for name, driver in self.each():
            departures = driver.load(wanted)["departures"]
            if departures:
                self.assertEqual((name, departures), ("mujoco", ["restitution is left out"]))
                continue
            tops = [driver.run(1)[1][1] - 0.25 for _ in range(63)]
            landed = tops.index(min(tops))
            # e² of 1 m
            self.assertLess(abs(max(tops[landed:]) - 0.64), 0.06, name)


if __name__ == "__main__":
    unittest.main()
