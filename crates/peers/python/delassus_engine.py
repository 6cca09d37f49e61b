"""Engines in Python: the protocol of docs/engines.md, and a scene as engines need it.

Import this module first: it keeps standard output for the answers, so that a library may print.
It needs nothing but the standard library.
"""
import array
import json
import math
import os
import sys
import time

OUT = os.fdopen(os.dup(1), "wb")
NUMBERS = 13  # position, orientation (i, j, k, w), velocity, angular velocity


class Unsupported(Exception):
    """What of a scene the engine does not represent."""


def rotate(q, v):
    """A vector turned by an orientation (i, j, k, w)."""
    x, y, z, w = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2],
            v[2] + w * t[2] + x * t[1] - y * t[0]]


def multiply(p, q):
    """The orientation q followed by p."""
    a, b, c, d = p
    x, y, z, w = q
    return [d * x + a * w + b * z - c * y, d * y - a * z + b * w + c * x,
            d * z + a * y - b * x + c * w, d * w - a * x - b * y - c * z]


def inverse(q):
    return [-q[0], -q[1], -q[2], q[3]]


def turn_to(axis, direction):
    """The shortest turn that takes one unit vector to another."""
    dot = sum(a * b for a, b in zip(axis, direction))
    if dot < -1 + 1e-12:
        other = [1.0, 0.0, 0.0] if abs(axis[0]) < 0.9 else [0.0, 1.0, 0.0]
        c = cross(axis, other)
        norm = math.sqrt(sum(x * x for x in c))
        return [x / norm for x in c] + [0.0]
    q = cross(axis, direction) + [1 + dot]
    norm = math.sqrt(sum(x * x for x in q))
    return [x / norm for x in q]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def combine(rule, a, b):
    """The coefficient of two surfaces together, by the name of a rule."""
    return {"geometric": math.sqrt(a * b), "mean": (a + b) / 2, "minimum": min(a, b),
            "maximum": max(a, b), "product": a * b}[rule]


class Scene:
    """Bodies, colliders and joints as the scene file has them, in lists of dictionaries.

    `shapes`: (body, kind, shape, position, orientation, friction, restitution) per collider.
    `links`: (kind, joint, bodies) per joint. `apart`: pairs of bodies that do not touch.
    `departures` is what the engine leaves out; engines add to it. A planar engine takes scenes
    whose bodies all stay in the plane of x and y, the others scenes without locked axes.
    """

    def __init__(self, data, planar=False):
        parts = json.loads(data)
        self.planar = planar
        self.gravity, self.bodies = parts["gravity"], parts["bodies"]
        self.contacts, self.departures = parts["contacts"], []
        self.joints, self.colliders = parts["joints"], parts["colliders"]
        if parts["manifolds"]:
            raise Unsupported("manifolds: contacts that the scene gives; engines find their own, "
                              "between colliders")
        for index, body in enumerate(self.bodies):
            self._check_body(f"bodies[{index}]", body)
        self.shapes = [self._shape(i, one) for i, one in enumerate(self.colliders)]
        self.links = [self._link(i, one) for i, one in enumerate(self.joints)]
        self.apart = self._apart()

    def dynamic(self, body):
        return self.bodies[body]["kind"] == "dynamic"

    def leave_out(self, what):
        """Notes something that the engine leaves out."""
        if what not in self.departures:
            self.departures.append(what)

    def _check_body(self, at, body):
        if body["kind"] == "kinematic":
            raise Unsupported(f"{at} is kinematic")
        moved = any(body["force"]) or any(body["torque"]) or body["gravity_scale"] != 1
        damped = body["linear_damping"] or body["angular_damping"]
        locks = body["lock_translation"] + body["lock_rotation"]
        plane = [False, False, True, True, True, False]
        if body["kind"] == "dynamic" and (moved or damped):
            raise Unsupported(f"{at} has forces, another gravity or damping")
        if body["kind"] == "dynamic" and locks != (plane if self.planar else [False] * 6):
            raise Unsupported(f"{at} is not confined to the plane of x and y" if self.planar
                              else f"{at} has locked axes")
        if self.planar and any(body["orientation"][:2]):
            raise Unsupported(f"{at} is turned out of the plane of x and y")
        if body["kind"] == "dynamic" and not all(body["inertia"]["moments"]):
            raise Unsupported(f"{at} is a point mass")

    def _shape(self, index, collider):
        at, material = f"colliders[{index}]", collider["material"]
        if any(material["surface_velocity"]) or "softness" in material:
            raise Unsupported(f"{at} is soft, or its surface moves")
        if material["rolling_friction"] or material["spinning_friction"]:
            self.leave_out("friction against rolling and spinning is left out")
        if material["kinetic_friction"] is not None:
            self.leave_out("sliding friction is that of rest")
        (kind, shape), = collider["shape"].items()
        return (collider["body"], kind, shape, collider["position"], collider["orientation"],
                material["friction"], material["restitution"])

    def _link(self, index, joint):
        (kind, own), = joint["constraint"].items()
        at = f"joints[{index}] ({kind})"
        if joint["softness"] != "rigid" or joint.get("angular_softness", "rigid") != "rigid":
            raise Unsupported(f"{at} is soft")
        if joint.get("max_force") is not None or joint.get("max_torque") is not None:
            raise Unsupported(f"{at} has a limit of its force")
        if kind in ("distance", "rope") and "constant" not in own["length"]:
            raise Unsupported(f"{at} has a length that changes")
        return kind, own, own["bodies"]

    def _apart(self):
        """Pairs of bodies that do not touch: those that share a joint, and those of the filters."""
        pairs = {frozenset(bodies) for _, _, bodies in self.links if len(bodies) == 2}
        pairs |= {frozenset(pair) for pair in self.contacts["apart"]}
        touching, filtered = set(), set()
        masks = [tuple(one["filter"].values()) for one in self.colliders]
        plain = len(set(masks)) < 2 and not any(one["filter"]["group"] for one in self.colliders)
        for i, one in enumerate(self.colliders):
            for other in [] if plain else self.colliders[:i]:
                a, b = one["filter"], other["filter"]
                pair = frozenset((one["body"], other["body"]))
                alone = a["group"] and a["group"] == b["group"]
                met = a["category"] & b["mask"] and b["category"] & a["mask"] and not alone
                (touching if met else filtered).add(pair)
        if touching & filtered:
            raise Unsupported("filters let some colliders of two bodies touch and others not")
        return {pair for pair in pairs | filtered if len(pair) == 2}

    def require(self, shapes, joints):
        """Refuses kinds of shapes and joints that are not in these lists."""
        for index, (body, kind, *_) in enumerate(self.shapes):
            if kind not in shapes:
                raise Unsupported(f"colliders[{index}] ({kind}) has no form in this engine")
            if kind == "half-space" and self.dynamic(body):
                raise Unsupported(f"colliders[{index}] (half-space) is on a body that moves")
        for index, (kind, _, bodies) in enumerate(self.links):
            if kind not in joints:
                raise Unsupported(f"joints[{index}] ({kind}) has no form in this engine")

    def combined(self, what):
        """Coefficients of all pairs of unlike surfaces, with what `what` combines to: a dictionary
        from the pair of coefficients, the smaller first."""
        at = {"friction": 5, "restitution": 6}[what]
        rule = self.contacts["combining"][what]
        values = sorted({shape[at] for shape in self.shapes})
        return {(a, b): combine(rule, a, b) for i, a in enumerate(values) for b in values[i:]}

    def check_rule(self, what, rule):
        """Notes if the engine combines coefficients by another rule, where that matters."""
        own = self.combined(what).items()
        if any(abs(combine(rule, *pair) - value) > 1e-9 for pair, value in own):
            self.leave_out(f"{what} of unlike surfaces is the {rule} of theirs")


def states_of(bodies):
    """States of bodies as they start, in the form of an answer."""
    return [x for b in bodies for x in (*b["position"], *b["orientation"], *b["velocity"],
                                        *b["spin"])]


def reply(source, make, state, planar):
    """Reads one request; its answer and states, or None where the driver quits or has gone."""
    text = source.read(int.from_bytes(source.read(4), "little"))
    request = json.loads(text or '{"op": "quit", "id": 0}')
    number, data = {"id": request["id"]}, b""
    for entry in request.get("arrays", ()):
        size = {"f64": 8, "u64": 8, "f32": 4, "u32": 4, "u8": 1}[entry["dtype"]]
        data = source.read(entry["length"] * size)
    try:
        if request["op"] == "load":
            state.clear()
            scene = Scene(data, planar)
            state["engine"] = make(scene, request["parameters"])
            return {**number, "departures": scene.departures}, None
        if request["op"] == "step":
            began = time.perf_counter()
            state["engine"].step(request["dt"])
            seconds = time.perf_counter() - began
            return {**number, "step_s": seconds}, state["engine"].states()
        return None if request["op"] == "quit" else ({**number, "error": "unsupported op"}, None)
    except Unsupported as error:
        return {**number, "unsupported": str(error)[:1900]}, None
    except Exception as error:  # the driver counts it as a failure and goes on
        return {**number, "error": f"{type(error).__name__}: {error}"[:1900]}, None


def serve(name, version, make, precision="f64", notes=(), parameters={}, planar=False, **hello):
    """Answers requests until the driver says quit or closes stdin.

    `make(scene, parameters)` returns an object with `step(dt)`, whose time counts, and `states()`,
    13 numbers per body of the scene. `parameters`: {name: (default, unit, text)}. `planar`: it
    takes scenes in the plane of x and y.
    """
    os.dup2(2, 1)
    declared = [{"name": key, "default": default, "unit": unit, "text": text}
                for key, (default, unit, text) in parameters.items()]
    answer = {"protocol": 1, "engine": name, "version": version, "precision": precision,
              "clock": "wall", "notes": list(notes), "parameters": declared, **hello}, None
    state = {}
    while answer is not None:
        message, states = answer
        data = b"" if states is None else array.array("d", states).tobytes()
        if data:
            message["arrays"] = [{"name": "states", "dtype": "f64", "length": len(data) // 8}]
        text = json.dumps(message, allow_nan=False).encode()
        OUT.write(len(text).to_bytes(4, "little") + text + data)
        OUT.flush()
        answer = reply(sys.stdin.buffer, make, state, planar)
