"""Box3D as an engine (docs/engines.md), through the library that build.sh makes of engine.c."""
from delassus_box import serve_box
from delassus_native import check_welds

CONTACTS = [
    "contacts are soft; against static bodies they have twice the frequency and half the damping",
    "friction is a disc and a twist per manifold, in the relax pass, whatever law the scene has",
]

if __name__ == "__main__":
    serve_box(__file__, "Box3D", "0.1.0", ("sphere", "box", "capsule", "half-space"),
              ("point", "hinge", "weld", "distance"), CONTACTS, check_welds)
