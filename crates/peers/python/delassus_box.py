"""Box2D and Box3D as engines: what their engine.py have in common."""
import pathlib

from delassus_engine import serve
from delassus_native import engine

SETTINGS = {
    "contact_hertz": (30.0, "Hz", "Frequency of contacts; at most an eighth of the substeps'."),
    "contact_damping": (10.0, "-", "Damping ratio of soft contacts."),
    "contact_speed": (3.0, "m/s", "Largest speed at which an overlap is removed."),
}


def serve_box(file, title, version, shapes, joints, contacts, check, **options):
    """Serves the engine `title` with the library in the folder of `file`. `contacts` are the notes on
    its contacts; `check` refuses scenes that it cannot step."""
    library = pathlib.Path(file).resolve().parent / "build/libengine.so"

    def look(scene, _):
        scene.check_rule("friction", "geometric")
        scene.check_rule("restitution", "maximum")
        check(scene)

    found = f"contacts are found by {title}, once per frame, with a speculative margin; 5 mm may remain"
    serve(title.lower(), version, engine(library, shapes, joints, list(SETTINGS), look),
          precision="f32", notes=[found, *contacts,
                                  "a half-space is a box of 200 m",
                                  "restitution acts above 1 m/s",
                                  "joints are soft in substeps and relaxed",
                                  "nothing sleeps; the warm start is on; one thread"],
          parameters={"substeps": (4, "-", f"Substeps of {title} per frame."), **SETTINGS}, **options)
