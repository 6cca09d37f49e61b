"""ProxQP (dense) on the dense W."""
from delassus_peer import Answer, Solver, serve  # first: it keeps stdout for answers

import importlib.metadata

import delassus_convex
import delassus_limit
import numpy as np
from proxsuite import proxqp


def prepare(problem, **_):
    return delassus_convex.symmetric(problem), problem.b, *delassus_convex.bounds(problem)


def solve(prepared, request):
    W, b, lower, upper = prepared
    made = proxqp.dense.QP(len(b), 0, 0, True)
    settings = made.settings
    settings.eps_abs, settings.eps_rel = request.tolerance, 0.0
    settings.max_iter, settings.compute_timings = request.max_iterations, True
    made.init(H=W, g=b, l_box=lower, u_box=upper)
    if np.any(request.start):
        settings.initial_guess = proxqp.InitialGuess.WARM_START
        made.solve(request.start, None, np.zeros(len(b)))
    else:
        settings.initial_guess = proxqp.InitialGuess.NO_INITIAL_GUESS
        made.solve()
    info = made.results.info
    claimed = {proxqp.PROXQP_SOLVED: "converged", proxqp.PROXQP_MAX_ITER_REACHED: "limit"}
    own = {"primal": info.pri_res, "dual": info.dua_res, "gap": info.duality_gap}
    # times are in microseconds
    return Answer(made.results.x, claimed.get(info.status, "failed"), info.iter_ext, own,
                  1e-6 * info.run_time, str(info.status).rsplit(".", 1)[-1])


serve("proxqp", importlib.metadata.version("proxsuite"), [
    Solver("proxqp", delassus_limit.timed(solve), delassus_convex.BOXES,
           "largest of primal residual [N·s] and dual residual [m/s]", "mixed", prepare,
           clock="own", deterministic=False),  # its last bits differ from solve to solve
])
