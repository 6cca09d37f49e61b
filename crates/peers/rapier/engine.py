"""Rapier as an engine (docs/engines.md), through its Python package: a frame is one step."""
from delassus_engine import Unsupported, serve, states_of

import array

import rapier3d

PARAMETERS = {
    "substeps": (4, "-", "Substeps of the solver in a step (num_solver_iterations)."),
    "sweeps": (1, "-", "Sweeps of a substep (num_internal_pgs_iterations)."),
    "friction": ("simplified", "", "simplified: one friction per manifold; coulomb: per point."),
}
NOTES = [
    "contacts are found by Rapier, once per frame, within 2 cm",
    "contacts are soft: 30 Hz, 60 Hz against static bodies, damping ratio 10; 5 mm may remain",
    "friction is a disc and a twist per manifold, or per point, whatever law the scene has",
    "joints are soft: 10⁶ Hz with a damping ratio of 1",
    "nothing sleeps; the warm start is on; one thread",
]
SHAPES = ("sphere", "box", "capsule", "cylinder", "half-space")
FRICTION = {"simplified": rapier3d.FrictionModel.SIMPLIFIED,
            "coulomb": rapier3d.FrictionModel.COULOMB}


def turn(q):
    return rapier3d.Rotation3.from_tuple(tuple(q))


def pose(position, q):
    return rapier3d.Isometry3(rapier3d.Vec3(*position), turn(q))


def shape_of(kind, form):
    make = rapier3d.Collider
    if kind == "sphere":
        return make.ball(form["radius"])
    if kind == "box":
        return make.cuboid(*form["half"])
    if kind == "half-space":
        return make.halfspace(rapier3d.Vec3(*form["normal"]))
    return (make.capsule_y if kind == "capsule" else make.cylinder)(form["half_length"],
                                                                    form["radius"])


class Engine:
    def __init__(self, scene, parameters):
        scene.require(SHAPES, ("point", "hinge", "weld", "rope", "distance"))
        if any(kind == "distance" for kind, *_ in scene.links):
            scene.leave_out("rods between two points only pull, as ropes do")
        if parameters["friction"] not in FRICTION or parameters["substeps"] < 1:
            raise ValueError("friction must be simplified or coulomb, and substeps at least 1")
        scene.check_rule("friction", "geometric")
        scene.check_rule("restitution", "maximum")
        linked = {frozenset(bodies) for _, _, bodies in scene.links}
        touching = {shape[0] for shape in scene.shapes}
        if any(pair <= touching for pair in scene.apart - linked):
            raise Unsupported("bodies without a common joint that do not touch")
        self.bodies = scene.bodies
        self.world = world = rapier3d.PhysicsWorld(gravity=tuple(scene.gravity))
        world.set_num_threads(1)
        own = world.integration_parameters
        own.num_solver_iterations = parameters["substeps"]
        own.num_internal_pgs_iterations = parameters["sweeps"]
        own.friction_model = FRICTION[parameters["friction"]]
        self.handles = [world.add_body(self.body(body)) for body in scene.bodies]
        for body, kind, form, position, q, friction, restitution in scene.shapes:
            collider = shape_of(kind, form).position(pose(position, q)).density(0.0)
            collider = collider.friction(friction).restitution(restitution)
            collider = collider.friction_combine_rule(RULES.GEOMETRIC_MEAN)
            collider = collider.restitution_combine_rule(RULES.MAX)
            world.add_collider(collider, parent=self.handles[body])
        for kind, joint, (a, b) in scene.links:
            world.impulse_joints.insert(self.handles[a], self.handles[b], self.joint(kind, joint))

    def body(self, body):
        if body["kind"] != "dynamic":
            return rapier3d.RigidBody.fixed().position(pose(body["position"], body["orientation"]))
        inertia = body["inertia"]
        properties = rapier3d.MassProperties((0, 0, 0), inertia["mass"],
                                             tuple(inertia["moments"]), turn(inertia["axes"]))
        made = rapier3d.RigidBody.dynamic().additional_mass_properties(properties)
        made = made.position(pose(body["position"], body["orientation"])).can_sleep(False)
        return made.linvel(rapier3d.Vec3(*body["velocity"])).angvel(rapier3d.Vec3(*body["spin"]))

    def joint(self, kind, joint):
        first, second = (rapier3d.Point3(*anchor) for anchor in joint["anchors"])
        if kind in ("rope", "distance"):
            made = rapier3d.RopeJoint.builder(joint["length"]["constant"])
        elif kind == "hinge":
            made = rapier3d.RevoluteJoint.builder(rapier3d.Vec3(*joint["axes"][0]))
            made = made.local_axis1(rapier3d.Vec3(*joint["axes"][0]))
            made = made.local_axis2(rapier3d.Vec3(*joint["axes"][1]))
        elif kind == "point":
            made = rapier3d.SphericalJoint.builder()
        else:
            made = rapier3d.FixedJoint.builder()
            made = made.local_frame1(pose(joint["anchors"][0], joint["orientation"]))
            made = made.local_frame2(pose(joint["anchors"][1], [0, 0, 0, 1]))
            return made.contacts_enabled(False).build()
        made = made.local_anchor1(first).local_anchor2(second)
        return made.contacts_enabled(False).build()

    def step(self, dt):
        self.world.integration_parameters.dt = dt
        self.world.step()

    def states(self):
        out = array.array("d", states_of(self.bodies))
        sets = self.world.rigid_bodies
        for index, (body, handle) in enumerate(zip(self.bodies, self.handles)):
            if body["kind"] != "dynamic":
                continue
            own = sets[handle]
            x, q, v, w = own.translation, own.rotation, own.linvel, own.angvel
            out[13 * index:13 * index + 13] = array.array("d", [
                x.x, x.y, x.z, q.i, q.j, q.k, q.w, v.x, v.y, v.z, w.x, w.y, w.z])
        return out


RULES = rapier3d.CoefficientCombineRule
if __name__ == "__main__":
    serve("rapier", "0.36.1", Engine, precision="f32", notes=NOTES, parameters=PARAMETERS)
