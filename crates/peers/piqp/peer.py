"""PIQP on the dense W."""
from delassus_peer import Answer, Solver, serve  # first: it keeps stdout for answers

import delassus_convex
import delassus_limit
import piqp


def prepare(problem, **_):
    return delassus_convex.symmetric(problem), problem.b, *delassus_convex.bounds(problem)


def solve(prepared, request):
    W, b, lower, upper = prepared
    made = piqp.DenseSolver()
    made.settings.eps_abs = made.settings.eps_duality_gap_abs = request.tolerance
    made.settings.eps_rel = made.settings.eps_duality_gap_rel = 0.0
    made.settings.max_iter, made.settings.compute_timings = request.max_iterations, True
    made.setup(W, b, x_l=lower, x_u=upper)
    status = made.solve()
    claimed = {piqp.PIQP_SOLVED: "converged", piqp.PIQP_MAX_ITER_REACHED: "limit"}
    info = made.result.info
    own = {"primal": info.primal_res, "dual": info.dual_res, "gap": info.duality_gap}
    return Answer(made.result.x, claimed.get(status, "failed"), info.iter, own, info.run_time,
                  str(status))


serve("piqp", piqp.__version__, [
    Solver("piqp", delassus_limit.timed(solve), delassus_convex.BOXES,
           "largest of primal residual [N·s], dual residual [m/s] and gap [J]", "mixed", prepare,
           clock="own"),
])
