"""MuJoCo as an engine (docs/engines.md): a scene becomes a model, a frame so many steps of it.

Joints that form a tree are joints of the model, in reduced coordinates; those that close a loop,
and all of them with joints = "equality", are soft equality constraints.
"""
from delassus_engine import (Unsupported, inverse, multiply, rotate, serve, states_of, turn_to)

import mujoco
import numpy as np

PARAMETERS = {
    "substeps": (4, "-", "Steps of MuJoCo per frame."),
    "iterations": (100, "-", "Largest number of iterations of the solver in a step."),
    "solver": ("newton", "", "newton, cg or pgs."),
    "integrator": ("euler", "", "euler, implicitfast, implicit or rk4."),
    "cone": ("elliptic", "", "elliptic or pyramidal."),
    "impratio": (1.0, "-", "Compliance of a contact's normal over that of its friction."),
    "noslip_iterations": (0, "-", "Iterations of the pass that removes slip."),
    "solref": (0.02, "s", "Time constant of all soft constraints; their damping ratio is 1."),
    "joints": ("tree", "", "tree: reduced coordinates where they can be; equality: constraints."),
}
NOTES = [
    "contacts are found by MuJoCo, at the start of each of its steps, without a margin",
    "contacts and equality constraints are soft: solref, with solimp 0.9 0.95 0.001",
    "friction is a convex cone with compliance, whatever law the scene has",
    "joints of trees have no error, since they are coordinates; they show no drift",
    "nothing sleeps; the warm start is on",
]
CHOICES = {"solver": ["newton", "cg", "pgs"], "cone": ["elliptic", "pyramidal"],
           "integrator": ["euler", "implicitfast", "implicit", "rk4"],
           "joints": ["tree", "equality"]}
TREE = ("point", "hinge", "weld", "slider")


def numbers(values):
    return " ".join(repr(float(x)) for x in values)


def wxyz(q):
    return numbers([q[3], q[0], q[1], q[2]])


class Model:
    """The text of a model, from a scene."""

    def __init__(self, scene, parameters):
        self.scene, self.own = scene, parameters
        self.children, self.roots = {}, []
        self.loops, self.tendons, self.sites, self.geoms = [], [], [], {}
        for index, shape in enumerate(scene.shapes):
            self.geoms.setdefault(shape[0], []).append((index, shape))
        self.grow()

    def grow(self):
        """Parents of the bodies: breadth first, from bodies that do not move, joints in order."""
        scene, left, reached = self.scene, [], set()
        for number, (kind, joint, bodies) in enumerate(scene.links):
            if kind in TREE and self.own["joints"] == "tree":
                left.append((number, kind, joint, bodies))
            else:
                self.loops.append((number, kind, joint))
        starts = [b for b in range(len(scene.bodies)) if not scene.dynamic(b)]
        starts += [b for b in range(len(scene.bodies)) if scene.dynamic(b)]
        for start in starts:
            if start in reached:
                continue
            reached.add(start)
            self.roots.append(start)
            queue = [start]
            while queue:
                parent = queue.pop(0)
                for edge in [edge for edge in left if parent in edge[3]]:
                    number, kind, joint, (a, b) = edge
                    child, side = (b, 1) if parent == a else (a, 0)
                    left.remove(edge)
                    if child in reached or not scene.dynamic(child):
                        self.loops.append((number, kind, joint))
                        continue
                    reached.add(child)
                    queue.append(child)
                    self.children.setdefault(parent, []).append((child, kind, joint, side))

    def text(self):
        own, scene = self.own, self.scene
        option = (f'timestep="0.001" gravity="{numbers(scene.gravity)}" cone="{own["cone"]}" '
                  f'solver="{own["solver"].upper() if own["solver"] != "newton" else "Newton"}" '
                  f'integrator="{INTEGRATORS[own["integrator"]]}" iterations="{own["iterations"]}" '
                  f'impratio="{own["impratio"]!r}" '
                  f'noslip_iterations="{own["noslip_iterations"]}"')
        loops = "".join(self.loop(*loop) for loop in self.loops)  # fills sites and tendons
        roots = "".join(self.body(root, None, None) for root in self.roots)
        apart = "".join(f'<exclude body1="b{a}" body2="b{b}"/>'
                        for a, b in sorted(sorted(pair) for pair in scene.apart))
        return (f'<mujoco><compiler angle="radian" inertiafromgeom="false" autolimits="true"/>'
                f'<option {option}><flag autoreset="disable"/></option>'
                f'<default><geom condim="3" solref="{own["solref"]!r} 1"/>'
                f'<equality solref="{own["solref"]!r} 1"/></default>'
                f"<worldbody>{roots}</worldbody><contact>{apart}</contact>"
                f"<tendon>{''.join(self.tendons)}</tendon><equality>{loops}</equality></mujoco>")

    def body(self, index, parent, joint_text):
        """A body with its shapes and children; the pose is that in its parent."""
        body = self.scene.bodies[index]
        position, turn = body["position"], body["orientation"]
        if parent is not None and self.scene.dynamic(parent):
            above = self.scene.bodies[parent]
            back = inverse(above["orientation"])
            position = rotate(back, [a - b for a, b in zip(position, above["position"])])
            turn = multiply(back, turn)
        inner = joint_text or ("<freejoint/>" if self.scene.dynamic(index) else "")
        if self.scene.dynamic(index):
            inertia = body["inertia"]
            inner += (f'<inertial pos="0 0 0" quat="{wxyz(inertia["axes"])}" '
                      f'mass="{inertia["mass"]!r}" diaginertia="{numbers(inertia["moments"])}"/>')
        inner += "".join(self.geom(*one) for one in self.geoms.get(index, ()))
        inner += "".join(text for at, text in self.sites if at == index)
        nested, beside = "", ""
        for child, kind, joint, side in self.children.get(index, ()):
            text = self.body(child, index, self.joint(kind, joint, side) or " ")
            if self.scene.dynamic(index):
                nested += text
            else:  # bodies on a body that does not move hang on the world
                beside += text
        return (f'<body name="b{index}" pos="{numbers(position)}" quat="{wxyz(turn)}">'
                f"{inner}{nested}</body>{beside}")

    def joint(self, kind, joint, side):
        """The joint of a child, which is the body of this side."""
        if kind == "weld":
            return ""
        anchor = f'pos="{numbers(joint["anchors"][side])}"'
        if kind == "point":
            return f'<joint type="ball" {anchor}/>'
        if kind == "hinge":
            return f'<joint type="hinge" {anchor} axis="{numbers(joint["axes"][side])}"/>'
        axis = joint["axis"]
        if side == 1:  # the axis is that of the first body
            first, second = (self.scene.bodies[b]["orientation"] for b in joint["bodies"])
            axis = rotate(multiply(inverse(second), first), axis)
        return f'<joint type="slide" axis="{numbers(axis)}"/>'

    def geom(self, index, shape):
        body, kind, form, position, turn, friction, _ = shape
        if kind == "half-space":
            text = 'type="plane" size="0 0 1"'
            turn = multiply(turn, turn_to([0, 0, 1], form["normal"]))
        elif kind == "box":
            text = f'type="box" size="{numbers(form["half"])}"'
        elif kind == "sphere":
            text = f'type="sphere" size="{form["radius"]!r}"'
        else:  # the axis is y here, and z there
            turn = multiply(turn, turn_to([0, 0, 1], [0, 1, 0]))
            text = f'type="{kind}" size="{form["radius"]!r} {form["half_length"]!r}"'
        return (f'<geom name="g{index}" {text} pos="{numbers(position)}" quat="{wxyz(turn)}" '
                f'friction="{friction!r} 0 0"/>')

    def loop(self, number, kind, joint):
        """An equality constraint between two bodies."""
        a, b = joint["bodies"]
        (p, q), names = joint["anchors"], f'body1="b{a}" body2="b{b}"'
        if kind == "distance":
            ends = [f"s{number}a", f"s{number}b"]
            self.sites += [(body, f'<site name="{end}" pos="{numbers(anchor)}"/>')
                           for body, end, anchor in ((a, ends[0], p), (b, ends[1], q))]
            sites = "".join(f'<site site="{end}"/>' for end in ends)
            self.tendons.append(f'<spatial name="t{number}">{sites}</spatial>')
            return f'<tendon tendon1="t{number}"/>'
        if kind == "point":
            return f'<connect {names} anchor="{numbers(p)}"/>'
        if kind == "weld":
            return f'<weld {names} torquescale="1"/>'
        if kind == "hinge":
            half = [0.5 * x for x in joint["axes"][0]]
            ends = [[x + s * h for x, h in zip(p, half)] for s in (-1, 1)]
            return "".join(f'<connect {names} anchor="{numbers(end)}"/>' for end in ends)
        raise Unsupported(f"joints[{number}] ({kind}) closes a loop")


INTEGRATORS = {"euler": "Euler", "implicitfast": "implicitfast", "implicit": "implicit",
               "rk4": "RK4"}


class Engine:
    def __init__(self, scene, parameters):
        for name, choices in CHOICES.items():
            if parameters[name] not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}")
        if parameters["substeps"] < 1:
            raise ValueError("substeps must be at least 1")
        scene.require(("box", "sphere", "capsule", "cylinder", "half-space"),
                      (*TREE, "distance"))
        if any(restitution for *_, restitution in scene.shapes):
            scene.leave_out("restitution is left out")
        scene.check_rule("friction", "maximum")
        self.scene, self.substeps = scene, parameters["substeps"]
        text = Model(scene, parameters).text()
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        find = self.model.body
        self.moving = [(b, find(f"b{b}").id) for b in range(len(scene.bodies)) if scene.dynamic(b)]
        self.set_velocities()

    def set_velocities(self):
        """Speeds of the coordinates that give the bodies their velocities."""
        mujoco.mj_forward(self.model, self.data)
        bodies = [self.scene.bodies[b] for b, _ in self.moving]
        wanted = np.array([[*b["velocity"], *b["spin"]] for b in bodies]).ravel()
        if not wanted.any():
            return
        rows = np.zeros((6 * len(bodies), self.model.nv))
        for k, (_, own) in enumerate(self.moving):
            mujoco.mj_jacBodyCom(self.model, self.data, rows[6 * k:6 * k + 3],
                                 rows[6 * k + 3:6 * k + 6], own)
        speeds = np.linalg.lstsq(rows, wanted, rcond=None)[0]
        if np.abs(rows @ speeds - wanted).max() > 1e-9 * max(1, np.abs(wanted).max()):
            raise Unsupported("velocities at the start that the joints do not allow")
        self.data.qvel[:] = speeds

    def step(self, dt):
        self.model.opt.timestep = dt / self.substeps
        mujoco.mj_step(self.model, self.data, self.substeps)

    def states(self):
        model, data, out = self.model, self.data, np.array(states_of(self.scene.bodies), float)
        out = out.reshape(-1, 13)
        # a step ends with new coordinates and old poses
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        speeds = np.zeros(6)
        for body, own in self.moving:
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, own, speeds, 0)
            w, x, y, z = data.xquat[own]
            out[body] = [*data.xpos[own], x, y, z, w, *speeds[3:], *speeds[:3]]
        return out.ravel()


# its warnings would go to a file in this folder
mujoco.set_mju_user_warning(lambda text: None)
if __name__ == "__main__":
    serve("mujoco", mujoco.__version__, Engine, notes=NOTES, parameters=PARAMETERS)
