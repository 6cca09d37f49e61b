"""Friction solvers of Siconos, and Lemke's method for unilateral rows, on the dense W."""
from delassus_peer import Answer, Solver, serve  # first: it keeps stdout for answers

import subprocess
import time

import delassus_limit
import numpy as np
import siconos.numerics as sn

sn.numerics_set_verbose(0)


def contacts(problem, **_):
    """The numbers of a friction problem: contacts of three rows, normal first, nothing else."""
    if any(block.rows.stop - block.rows.start != 3 for block in problem.blocks):
        raise NotImplementedError("contacts that have not three rows")
    # an assertion of the library ends the process where a normal moves nothing
    if np.any(np.diag(problem.W)[::3] <= 0):
        raise NotImplementedError("a normal whose diagonal entry is not positive")
    friction = np.array([block.parameters[0] for block in problem.blocks])
    return problem.W, problem.b, friction


def options(identifier, request):
    made = sn.SolverOptions(identifier)
    made.dparam[sn.SICONOS_DPARAM_TOL] = request.tolerance
    made.iparam[sn.SICONOS_IPARAM_MAX_ITER] = request.max_iterations
    return made


def answer(impulses, info, made, seconds=None):
    done = made.iparam[sn.SICONOS_IPARAM_ITER_DONE]
    claimed = {0: "converged", 1: "limit"}.get(info, "failed")
    # the Newton methods call a limit a failure
    if claimed == "failed" and done >= made.iparam[sn.SICONOS_IPARAM_MAX_ITER]:
        claimed = "limit"
    own = {"error": made.dparam[sn.SICONOS_DPARAM_RESIDU]}
    message = "" if info in (0, 1) else f"info {info}"
    return Answer(impulses, claimed, done, own, seconds, message)


def friction(name):
    identifier = getattr(sn, "SICONOS_FRICTION_3D_" + name)

    def solve(prepared, request):
        W, b, mu = prepared
        # PROX adds to the matrix and subtracts again, which rounds: every solve has its own
        problem = sn.FrictionContactProblem(3, len(mu), W.copy(order="F"), b.copy(), mu)
        made, impulses = options(identifier, request), request.start
        began = time.perf_counter()
        info = sn.fc3d_driver(problem, impulses, np.zeros(len(impulses)), made)
        return answer(impulses, info, made, time.perf_counter() - began)

    return delassus_limit.timed(solve)


def unilateral(problem, **_):
    """The rows of a linear complementarity problem."""
    for block in problem.blocks:
        one = block.rows.stop - block.rows.start == 1
        if not (one and (block.law == "frictionless" or block.parameters[:2] == [0, np.inf])):
            raise NotImplementedError("rows other than single ones with bounds [0, inf)")
    return sn.LCP(problem.W, problem.b.copy())


def lemke(problem, request):
    made, impulses = options(sn.SICONOS_LCP_LEMKE, request), request.start * 0
    info = sn.linearComplementarity_driver(problem, impulses, impulses.copy(), made)
    return answer(impulses, info, made)


def version():
    """That of the Debian package; the module itself says 0."""
    query = ["dpkg-query", "--show", "--showformat=${Version}", "python3-siconos"]
    try:
        return subprocess.run(query, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


MEANING = "natural map with step 1 relative to max(|q|, |r|, |u|): the metric `siconos`"
EXACT = ["coulomb", "disc"]
serve("siconos", version(), [
    *[Solver(name.lower().replace("_", "-"), friction(name), EXACT, MEANING, "-", contacts,
             unsymmetric=True) for name in ("NSGS", "NSN_AC", "PROX", "ADMM")],
    Solver("soclcp", friction("SOCLCP"), ["convex-cone"], "its error of the convex law", "-",
           contacts),
    Solver("lemke", lemke, ["frictionless", "bounds"], "none: a direct method", "-", unilateral,
           direct=True, unsymmetric=True),
])
