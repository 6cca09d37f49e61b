"""Box2D as an engine (docs/engines.md), through the library that build.sh makes of engine.c."""
from delassus_box import serve_box
from delassus_engine import Unsupported

CONTACTS = [
    "a contact has two points in the plane, and four where it is measured",
    "contacts are soft; against static bodies they have twice the frequency",
    "friction is bounded per point, whatever law the scene has",
]


def check(scene):
    for index, (_, kind, form, _, turn, *_) in enumerate(scene.shapes):
        if any(turn[:2]) or (kind == "half-space" and form["normal"][2]):
            raise Unsupported(f"colliders[{index}] is turned out of the plane of x and y")
    for index, (kind, joint, _) in enumerate(scene.links):
        axes = joint.get("axes", [[0.0, 0.0, 1.0]])
        if any(abs(axis[2] - 1) > 1e-12 for axis in axes):
            raise Unsupported(f"joints[{index}] ({kind}) turns about another axis than z")
        if any(anchor[2] for anchor in joint["anchors"]):
            raise Unsupported(f"joints[{index}] ({kind}) has an anchor out of the plane")


if __name__ == "__main__":
    serve_box(__file__, "Box2D", "3.2.0", ("sphere", "box", "half-space"),
              ("point", "hinge", "distance"), CONTACTS, check, planar=True)
