"""Clarabel on the dense W."""
from delassus_peer import Answer, Solver, serve  # first: it keeps stdout for answers

import clarabel
import delassus_convex
import numpy as np
import scipy.sparse


def prepare(problem, **_):
    A, c, (zero, positive, second_order) = delassus_convex.cones(problem)
    P = scipy.sparse.csc_matrix(np.triu(delassus_convex.symmetric(problem)))
    cones = [clarabel.ZeroConeT(zero)] * (zero > 0)
    cones += [clarabel.NonnegativeConeT(positive)] * (positive > 0)
    cones += [clarabel.SecondOrderConeT(size) for size in second_order]
    return P, problem.b, scipy.sparse.csc_matrix(A), c, cones


def solve(prepared, request):
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_feas = request.tolerance
    settings.tol_gap_rel = 0.0
    settings.max_iter, settings.time_limit = request.max_iterations, request.max_seconds
    found = clarabel.DefaultSolver(*prepared, settings).solve()
    status = str(found.status)
    claimed = {"Solved": "converged", "AlmostSolved": "limit", "MaxIterations": "limit",
               "MaxTime": "time", "InsufficientProgress": "limit"}.get(status, "failed")
    own = {"primal": found.r_prim, "dual": found.r_dual}
    return Answer(found.x, claimed, found.iterations, own, found.solve_time, status)


serve("clarabel", clarabel.__version__, [
    Solver("clarabel", solve, delassus_convex.BOXES + ["convex-cone"],
           "relative primal and dual residuals, and the absolute gap [J]", "mixed", prepare,
           clock="own"),
])
