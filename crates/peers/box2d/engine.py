"""Box2D as an engine (docs/engines.md), through the library that build.sh makes of engine.c."""
from delassus_engine import Unsupported, serve
from delassus_native import engine

import pathlib

PARAMETERS = {
    "substeps": (4, "-", "Substeps of Box2D per frame."),
    "contact_hertz": (30.0, "Hz", "Frequency of contacts; at most an eighth of the substeps'."),
    "contact_damping": (10.0, "-", "Damping ratio of soft contacts."),
    "contact_speed": (3.0, "m/s", "Largest speed at which an overlap is removed."),
}
NOTES = [
    "contacts are found by Box2D, once per frame, with a speculative margin; 5 mm may remain",
    "a contact has two points in the plane, and four where it is measured",
    "contacts are soft; against static bodies they have twice the frequency",
    "friction is bounded per point, whatever law the scene has",
    "a half-space is a box of 200 m",
    "restitution acts above 1 m/s",
    "joints are soft in substeps and relaxed",
    "nothing sleeps; the warm start is on; one thread",
]


def look(scene, _):
    scene.check_rule("friction", "geometric")
    scene.check_rule("restitution", "maximum")
    for index, (_, kind, form, _, turn, *_) in enumerate(scene.shapes):
        if any(turn[:2]) or (kind == "half-space" and form["normal"][2]):
            raise Unsupported(f"colliders[{index}] is turned out of the plane of x and y")
    for index, (kind, joint, _) in enumerate(scene.links):
        axes = joint.get("axes", [[0.0, 0.0, 1.0]])
        if any(abs(axis[2] - 1) > 1e-12 for axis in axes):
            raise Unsupported(f"joints[{index}] ({kind}) turns about another axis than z")
        if any(anchor[2] for anchor in joint["anchors"]):
            raise Unsupported(f"joints[{index}] ({kind}) has an anchor out of the plane")


library = pathlib.Path(__file__).resolve().parent / "build/libengine.so"
if __name__ == "__main__":
    serve("box2d", "3.2.0", engine(library, ("sphere", "box", "half-space"),
                                   ("point", "hinge", "distance"),
                                   ["contact_hertz", "contact_damping", "contact_speed"], look),
          precision="f32", notes=NOTES, parameters=PARAMETERS, planar=True)
