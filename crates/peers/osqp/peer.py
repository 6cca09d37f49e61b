"""OSQP on the dense W."""
from delassus_peer import Answer, Solver, serve  # first: it keeps stdout for answers

import delassus_convex
import numpy as np
import osqp
import scipy.sparse


def prepare(problem, **_):
    P = scipy.sparse.csc_matrix(np.triu(delassus_convex.symmetric(problem)))
    unit = scipy.sparse.eye(problem.rows, format="csc")
    return P, problem.b, unit, *delassus_convex.bounds(problem)


def solve(prepared, request):
    made = osqp.OSQP()
    made.setup(*prepared, verbose=False, eps_abs=request.tolerance, eps_rel=0.0, polishing=False,
               max_iter=request.max_iterations, time_limit=request.max_seconds)
    if np.any(request.start):
        made.warm_start(x=request.start)
    found = made.solve()
    info, statuses = found.info, osqp.SolverStatus
    claimed = {statuses.OSQP_SOLVED: "converged", statuses.OSQP_SOLVED_INACCURATE: "limit",
               statuses.OSQP_MAX_ITER_REACHED: "limit", statuses.OSQP_TIME_LIMIT_REACHED: "time"}
    own = {"primal": info.prim_res, "dual": info.dual_res}
    return Answer(found.x, claimed.get(info.status_val, "failed"), info.iter, own,
                  info.setup_time + info.solve_time, info.status)


serve("osqp", osqp.__version__, [
    Solver("osqp", solve, delassus_convex.BOXES,
           "largest of primal residual [N·s] and dual residual [m/s]", "mixed", prepare,
           clock="own"),
])
