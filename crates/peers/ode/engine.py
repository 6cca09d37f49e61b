"""ODE as an engine (docs/engines.md), through the library that build.sh makes of engine.c."""
from delassus_engine import serve
from delassus_native import check_welds, engine

import pathlib

PARAMETERS = {
    "substeps": (4, "-", "Steps of ODE per frame."),
    "quick": (True, "", "true: dWorldQuickStep, sweeps of SOR; false: dWorldStep, pivoting."),
    "iterations": (20, "-", "Sweeps of the quick step."),
    "erp": (0.2, "-", "Share of an error that a step removes, of contacts and joints."),
    "cfm": (1e-10, "m/(N·s)", "Constraint force mixing of contacts and joints."),
}
NOTES = [
    "contacts are found by ODE, at most 8 per pair of shapes, at the start of each of its steps",
    "friction is a pyramid in directions that ODE chooses, whatever law the scene has",
    "contacts and joints have ERP and CFM; nothing limits the speed at which overlaps are removed",
    "restitution acts above 1 mm/s",
    "nothing sleeps; there is no warm start; the seed of the order of rows is set with the scene",
]


def look(scene, _):
    scene.check_rule("friction", "geometric")
    scene.check_rule("restitution", "maximum")
    check_welds(scene)


library = pathlib.Path(__file__).resolve().parent / "build/libengine.so"
serve("ode", "0.16.2", engine(library, ("sphere", "box", "capsule", "cylinder", "half-space"),
                              ("point", "hinge", "weld", "distance"),
                              ["quick", "iterations", "erp", "cfm"], look),
      notes=NOTES, parameters=PARAMETERS)
