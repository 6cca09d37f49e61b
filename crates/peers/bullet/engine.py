"""Bullet as an engine (docs/engines.md), through the library that build-engine.sh makes."""
from delassus_engine import Unsupported, serve
from delassus_native import check_welds, engine

import pathlib

PARAMETERS = {
    "substeps": (4, "-", "Steps of Bullet per frame."),
    "iterations": (10, "-", "Sweeps of the solver in a step."),
    "erp": (0.2, "-", "Share of an overlap that a step removes."),
    "split_impulse": (True, "", "Overlaps beyond 4 cm do not add to the velocities."),
    "two_directions": (True, "", "Friction has two rows per point, else one along the slip."),
}
NOTES = [
    "contacts are found by Bullet, at most 4 per pair, kept from step to step within 2 cm",
    "friction is a pyramid, whatever law the scene has",
    "joints remove 30 % of their error in a step, hinges 20 %",
    "edges and corners of boxes are rounded against round shapes by a margin of at most 4 cm",
    "restitution is lost where a contact is found before it closes, as it is in short steps",
    "nothing sleeps; the warm start is on",
]


def look(scene, _):
    scene.check_rule("friction", "geometric")
    scene.check_rule("restitution", "geometric")
    check_welds(scene)
    for body in range(len(scene.bodies)):
        own = {shape[5:7] for shape in scene.shapes if shape[0] == body}
        if len(own) > 1:
            raise Unsupported(f"bodies[{body}] has surfaces that are not alike")


library = pathlib.Path(__file__).resolve().parent / "build/libengine.so"
serve("bullet", "3.24", engine(library, ("sphere", "box", "capsule", "cylinder", "half-space"),
                               ("point", "hinge", "weld"),
                               ["iterations", "erp", "split_impulse", "two_directions"], look),
      precision="f32", notes=NOTES, parameters=PARAMETERS)
