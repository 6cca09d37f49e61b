"""ADMM and PGS of Pinocchio on the dense W."""
from collections import namedtuple

from delassus_peer import Answer, Solver, serve  # first: it keeps stdout for answers

import delassus_convex
import delassus_limit
import numpy as np
import pinocchio as pin

CONES = {"coulomb", "disc", "convex-cone"}
# the solver multiplies by the bounds: an infinite one would make its residual infinite
LARGEST = 1e6
Prepared = namedtuple("Prepared", "W b order models convex")


def scalar_sets(block):
    """Bounds of every row of a block that is no cone."""
    count = block.rows.stop - block.rows.start
    if block.law == "frictionless":
        return [(0, LARGEST)] + [(0, 0)] * (count - 1)
    lower, upper = block.parameters[:2] if block.law == "bounds" else (-np.inf, np.inf)
    return [(max(lower, -LARGEST), min(upper, LARGEST))] * count


def constraints(problem):
    """Models that own the sets, on a model that has no other purpose, and the order of the rows."""
    model, place = pin.Model(), pin.SE3.Identity()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), place, "body")
    model.appendBodyToJoint(joint, pin.Inertia.Identity(), place)
    hinge = pin.Model()
    hinge.addJoint(0, pin.JointModelRX(), place, "hinge")
    index = pin.StdVec_Index()
    index.append(1)
    models, order = pin.StdVec_ConstraintModel(), []
    for block in problem.blocks:
        rows = list(range(problem.rows)[block.rows])
        if block.law in CONES:
            if len(rows) != 3:
                raise NotImplementedError("contacts in the plane")
            contact = pin.PointContactConstraintModel(model, joint, place)
            contact.setFriction(float(block.parameters[0]))
            models.append(pin.ConstraintModel(contact))
            order += rows[1:] + rows[:1]
        elif block.law == "equality" and len(rows) in (3, 6):
            kinds = {3: pin.PointAnchorConstraintModel, 6: pin.FrameAnchorConstraintModel}
            models.append(pin.ConstraintModel(kinds[len(rows)](model, joint, place)))
            order += rows
        else:
            for row, (lower, upper) in zip(rows, scalar_sets(block)):
                ends = np.array([lower], float), np.array([upper], float)
                models.append(
                    pin.ConstraintModel(pin.JointFrictionConstraintModel(hinge, index, *ends)))
                order.append(row)
    return models, order


def prepare(problem, **_):
    laws = CONES & {block.law for block in problem.blocks}
    convex = "convex-cone" in laws
    if convex and len(laws) > 1:
        raise NotImplementedError("convex cones together with Coulomb's law")
    models, order = constraints(problem)
    W = np.asfortranarray(delassus_convex.symmetric(problem)[np.ix_(order, order)])
    return Prepared(W, problem.b[order], order, models, convex)


def solve(kinds, prepared, request):
    make, settings, result = kinds[0](len(prepared.order)), kinds[1](), kinds[2]()
    settings.max_iterations = request.max_iterations
    settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = request.tolerance
    settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0.0
    settings.solve_ncp, settings.measure_timings = not prepared.convex, True
    if request.parameters:
        settings.anderson_capacity = int(request.parameters["anderson"])
    datas = pin.StdVec_ConstraintData()
    for model in prepared.models:
        datas.append(model.createData())
    result.setConstraintImpulseGuess(request.start[prepared.order])
    operator = pin.DelassusOperatorDense(prepared.W)
    good = make.solve(operator, prepared.b, prepared.models, datas, settings, result)
    impulses = np.empty(len(prepared.order))
    impulses[prepared.order] = np.ravel(result.retrieveConstraintImpulses())
    own = {"primal": result.primal_feasibility, "dual": result.dual_feasibility,
           "complementarity": result.complementarity}
    # a run that reaches its limit counts one iteration more
    iterations = min(result.iterations, request.max_iterations)
    seconds = make.getElapsedTime() * 1e-6
    return Answer(impulses, "converged" if good else "limit", iterations, own, seconds)


def admm(prepared, request):
    kinds = pin.ADMMConstraintSolver, pin.ADMMSolverSettings, pin.ADMMSolverResult
    return solve(kinds, prepared, request)


def pgs(prepared, request):
    kinds = pin.PGSConstraintSolver, pin.PGSSolverSettings, pin.PGSSolverResult
    return solve(kinds, prepared, request)


LAWS = ["equality", "bounds", "frictionless", "disc", "coulomb"]
MEANING = "largest of primal [N·s], dual [m/s] and complementarity [J] by its own measures"
serve("pin", pin.__version__, [
    Solver("admm", delassus_limit.timed(admm), LAWS + ["convex-cone"], MEANING, "mixed", prepare,
           {"anderson": (0, "Iterates that Anderson acceleration combines; 0 for none.")},
           clock="own"),
    # its PGS ignores the switch to the convex cone: that law is not declared
    Solver("pgs", delassus_limit.timed(pgs), LAWS, MEANING + ", taken in the middle of a sweep",
           "mixed", prepare, clock="own"),
])
