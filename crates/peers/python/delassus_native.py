"""Engines in shared libraries with the functions of native/delassus_native.h."""
import array
import ctypes

from delassus_engine import Unsupported, inverse, multiply, rotate

DOUBLE, INT = ctypes.c_double, ctypes.c_int
SHAPES = ("sphere", "box", "capsule", "cylinder", "half-space")
JOINTS = ("point", "hinge", "weld", "distance")


class Body(ctypes.Structure):
    _fields_ = [("position", DOUBLE * 3), ("orientation", DOUBLE * 4), ("velocity", DOUBLE * 3),
                ("spin", DOUBLE * 3), ("mass", DOUBLE), ("inertia", DOUBLE * 9),
                ("moments", DOUBLE * 3), ("axes", DOUBLE * 4), ("is_dynamic", INT)]


class Shape(ctypes.Structure):
    _fields_ = [("body", INT), ("kind", INT), ("size", DOUBLE * 3), ("position", DOUBLE * 3),
                ("orientation", DOUBLE * 4), ("friction", DOUBLE), ("restitution", DOUBLE)]


class Joint(ctypes.Structure):
    _fields_ = [("kind", INT), ("bodies", INT * 2), ("anchors", DOUBLE * 6), ("axes", DOUBLE * 6),
                ("length", DOUBLE)]


def load(path):
    """The library with the types of its functions."""
    library = ctypes.CDLL(str(path))
    world = ctypes.c_void_p
    library.dn_new.restype = world
    for name, arguments in {
            "new": [DOUBLE * 3, ctypes.POINTER(DOUBLE)], "start": [world], "free": [world],
            "add_body": [world, ctypes.POINTER(Body)], "add_shape": [world, ctypes.POINTER(Shape)],
            "add_joint": [world, ctypes.POINTER(Joint)], "keep_apart": [world, INT, INT],
            "step": [world, DOUBLE, INT], "states": [world, ctypes.POINTER(DOUBLE)]}.items():
        getattr(library, "dn_" + name).argtypes = arguments
    return library


def body_of(body):
    """A body of the scene; one that does not move needs no inertia."""
    moves = body["kind"] == "dynamic"
    inertia = body["inertia"] if moves else {"mass": 0.0, "moments": [0.0] * 3,
                                             "axes": [0.0, 0.0, 0.0, 1.0]}
    axes, moments = inertia["axes"], inertia["moments"]
    columns = [rotate(axes, [float(i == j) for j in range(3)]) for i in range(3)]
    tensor = [sum(m * c[i] * c[j] for m, c in zip(moments, columns))
              for i in range(3) for j in range(3)]
    return Body((DOUBLE * 3)(*body["position"]), (DOUBLE * 4)(*body["orientation"]),
                (DOUBLE * 3)(*body["velocity"]), (DOUBLE * 3)(*body["spin"]), inertia["mass"],
                (DOUBLE * 9)(*tensor), (DOUBLE * 3)(*moments), (DOUBLE * 4)(*axes), moves)


def shape_of(shape):
    body, kind, form, position, turn, friction, restitution = shape
    size = {"sphere": lambda: [form["radius"]], "box": lambda: form["half"],
            "half-space": lambda: form["normal"]}.get(
                kind, lambda: [form["half_length"], form["radius"]])()
    return Shape(body, SHAPES.index(kind), (DOUBLE * 3)(*size), (DOUBLE * 3)(*position),
                 (DOUBLE * 4)(*turn), friction, restitution)


def joint_of(kind, joint):
    axes = joint.get("axes", [[0.0] * 3] * 2)
    length = joint["length"]["constant"] if kind == "distance" else 0.0
    return Joint(JOINTS.index(kind), (INT * 2)(*joint["bodies"]),
                 (DOUBLE * 6)(*joint["anchors"][0], *joint["anchors"][1]),
                 (DOUBLE * 6)(*axes[0], *axes[1]), length)


def engine(path, shapes, joints, settings, look=lambda scene, parameters: None):
    """A maker of engines for `serve`: `settings` are the parameters that dn_new gets, in order;
    `look` may refuse a scene or note what is left out."""
    library = load(path)

    class Engine:
        def __init__(self, scene, parameters):
            scene.require(shapes, joints)
            if parameters["substeps"] < 1:
                raise ValueError("substeps must be at least 1")
            look(scene, parameters)
            own = (DOUBLE * max(1, len(settings)))(*[float(parameters[s]) for s in settings])
            self.substeps, self.count = parameters["substeps"], len(scene.bodies)
            self.out = (DOUBLE * (13 * self.count))()
            self.world = library.dn_new((DOUBLE * 3)(*scene.gravity), own)
            for body in scene.bodies:
                library.dn_add_body(self.world, body_of(body))
            for shape in scene.shapes:
                library.dn_add_shape(self.world, shape_of(shape))
            for kind, joint, _ in scene.links:
                library.dn_add_joint(self.world, joint_of(kind, joint))
            for a, b in sorted(sorted(pair) for pair in scene.apart):
                library.dn_keep_apart(self.world, a, b)
            library.dn_start(self.world)

        def step(self, dt):
            library.dn_step(self.world, dt, self.substeps)

        def states(self):
            library.dn_states(self.world, self.out)
            return array.array("d", self.out)

        def __del__(self):
            if getattr(self, "world", None):
                library.dn_free(self.world)

    return Engine


def check_welds(scene):
    """Refuses welds whose bodies do not start as the weld holds them."""
    for index, (kind, joint, (a, b)) in enumerate(scene.links):
        if kind == "weld":
            turn = multiply(inverse(scene.bodies[a]["orientation"]), scene.bodies[b]["orientation"])
            if abs(abs(sum(x * y for x, y in zip(turn, joint["orientation"]))) - 1) > 1e-9:
                raise Unsupported(f"joints[{index}] (weld) does not start where it holds")
