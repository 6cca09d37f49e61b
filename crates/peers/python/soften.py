"""Gives every row of problem files compliance, so that MuJoCo's law has a place for them.

python3 soften.py FOLDER FILE.dls ...   writes FOLDER/soft-FILE.dls
R_ii is 0.05 A_ii; tangents of a contact share 0.02 of the entry of its normal.
"""
import pathlib
import sys

import dls_writer
import numpy as np
from delassus_peer import Problem


def soften(problem):
    """The bytes of the problem with this compliance."""
    diagonal = np.diag(problem.W)
    compliance = 0.05 * diagonal
    for law, rows, _ in problem.blocks:
        if law not in ("equality", "bounds"):
            compliance[rows.start + 1:rows.stop] = 0.02 * diagonal[rows.start]
    text = {**problem.text, "provenance": "softened: " + problem.text["provenance"]}
    # a reference would be one of another problem
    kept = {key: text[key] for key in text if not key.startswith("reference")}
    arrays = {key: array for key, array in problem.arrays.items() if "reference" not in key}
    return dls_writer.pack(kept, {**arrays, "rows/compliance": compliance})


if __name__ == "__main__":
    for name in sys.argv[2:]:
        path = pathlib.Path(name)
        made = soften(Problem(path.read_bytes()))
        (pathlib.Path(sys.argv[1]) / f"soft-{path.name}").write_bytes(made)
