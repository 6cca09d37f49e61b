"""SCS on the dense W."""
from delassus_peer import Answer, Solver, serve  # first: it keeps stdout for answers

import delassus_convex
import numpy as np
import scipy.sparse
import scs


def prepare(problem, **_):
    A, c, (zero, positive, second_order) = delassus_convex.cones(problem)
    if not len(c):  # it needs a row: 0 x <= 1
        A, c, positive = np.zeros((1, problem.rows)), np.ones(1), 1
    P = scipy.sparse.csc_matrix(np.triu(delassus_convex.symmetric(problem)))
    data = {"P": P, "A": scipy.sparse.csc_matrix(A), "b": c, "c": problem.b}
    return data, {"z": zero, "l": positive, "q": second_order}


def solve(prepared, request):
    data, cones = prepared
    made = scs.SCS(data, cones, eps_abs=request.tolerance, eps_rel=0.0, eps_infeas=0.0,
                   max_iters=request.max_iterations, time_limit_secs=request.max_seconds,
                   verbose=False)
    start = {"x": request.start, "s": data["b"] - data["A"] @ request.start,
             "y": np.zeros(len(data["b"]))} if np.any(request.start) else {}
    found = made.solve(warm_start=bool(start), **start)
    info = found["info"]
    claimed = "converged" if info["status_val"] == 1 else "limit"
    if claimed == "limit" and info["solve_time"] >= 999 * request.max_seconds:
        claimed = "time"
    if info["status_val"] < 0 and info["status_val"] not in (-6, -7):
        claimed = "failed"
    own = {"primal": info["res_pri"], "dual": info["res_dual"], "gap": info["gap"]}
    seconds = 1e-3 * (info["setup_time"] + info["solve_time"])
    return Answer(found["x"], claimed, info["iter"], own, seconds, info["status"])


serve("scs", scs.__version__, [
    Solver("scs", solve, delassus_convex.BOXES + ["convex-cone"],
           "largest of primal residual [N·s], dual residual [m/s] and gap [J]", "mixed", prepare,
           clock="own"),
])
