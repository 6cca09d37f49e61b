"""Box3D as an engine (docs/engines.md), through the library that build.sh makes of engine.c."""
from delassus_engine import serve
from delassus_native import check_welds, engine

import pathlib

PARAMETERS = {
    "substeps": (4, "-", "Substeps of Box3D per frame."),
    "contact_hertz": (30.0, "Hz", "Frequency of contacts; at most an eighth of the substeps'."),
    "contact_damping": (10.0, "-", "Damping ratio of soft contacts."),
    "contact_speed": (3.0, "m/s", "Largest speed at which an overlap is removed."),
}
NOTES = [
    "contacts are found by Box3D, once per frame, with a speculative margin; 5 mm may remain",
    "contacts are soft; against static bodies they have twice the frequency and half the damping",
    "friction is a disc and a twist per manifold, in the relax pass, whatever law the scene has",
    "a half-space is a box of 200 m",
    "restitution acts above 1 m/s",
    "joints are soft in substeps and relaxed",
    "nothing sleeps; the warm start is on; one thread",
]


def look(scene, _):
    scene.check_rule("friction", "geometric")
    scene.check_rule("restitution", "maximum")
    check_welds(scene)


library = pathlib.Path(__file__).resolve().parent / "build/libengine.so"
if __name__ == "__main__":
    serve("box3d", "0.1.0", engine(library, ("sphere", "box", "capsule", "half-space"),
                                   ("point", "hinge", "weld", "distance"),
                                   ["contact_hertz", "contact_damping", "contact_speed"], look),
          precision="f32", notes=NOTES, parameters=PARAMETERS)
