"""Newton, CG and PGS of MuJoCo on frozen problems of its law: R > 0 in every row.

A model with one slider of 1 kg per row has the right number of constraints of the right kinds; its
arrays are then overwritten: J by F with F Fᵀ = A, and R, D and the reference acceleration −b, with
a step of 1 s. MuJoCo's forces are then the impulses.
"""
from delassus_peer import Answer, Solver, serve  # first: it keeps stdout for answers

import delassus_convex
import delassus_limit
import mujoco
import numpy as np

BODY = ('<body pos="{at} 0 0"><joint name="j{at}" type="slide" axis="0 0 1" {joint}/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        '<geom name="g{at}" size="0.1" contype="0" conaffinity="0"/></body>')
MODEL = """<mujoco><option timestep="1" gravity="0 0 0" cone="elliptic" jacobian="dense"
 impratio="1"><flag warmstart="disable" island="disable"/></option>
<worldbody><geom name="ground" type="plane" size="1 1 1" contype="0" conaffinity="0"/>{bodies}
</worldbody><contact>{pairs}</contact><equality>{equalities}</equality></mujoco>"""


def kinds(problem):
    """Per block: equality, loss, limit or cone; refuses what MuJoCo has no constraint for."""
    if np.any(np.diag(problem.R) <= 0) or np.any(problem.R - np.diag(np.diag(problem.R))):
        raise NotImplementedError("rows whose compliance is zero or coupled")
    for law, rows, numbers in problem.blocks:
        compliance = np.diag(problem.R)[rows]
        if law == "equality":
            yield "equality"
        elif law == "convex-cone" and len(compliance) == 3 and compliance[1] == compliance[2]:
            yield "cone"
        elif law == "bounds" and numbers[:2] == [0, np.inf]:
            yield "limit"
        elif law == "bounds" and 0 < numbers[1] == -numbers[0] < np.inf:
            yield "loss"
        else:
            raise NotImplementedError("bounds that are neither [0, inf) nor symmetric, or cones "
                                      "that have not two tangents of equal compliance")


def model(problem):
    """A model with these constraints, and the rows in MuJoCo's order."""
    parts = {"equality": [], "loss": [], "limit": [], "cone": []}
    bodies, pairs, equalities = [], [], []
    for kind, (_, rows, numbers) in zip(kinds(problem), problem.blocks):
        own = list(range(problem.rows)[rows])
        parts[kind] += own
        for row in own:
            joint = {"limit": 'limited="true" range="1 2"',
                     "loss": f'frictionloss="{numbers[1]!r}"'}.get(kind, "")
            bodies.append(BODY.format(at=row, joint=joint))
            if kind == "equality":
                equalities.append(f'<joint joint1="j{row}"/>')
        if kind == "cone":
            pairs.append(f'<pair geom1="ground" geom2="g{own[0]}" condim="3" '
                         f'friction="{numbers[0]!r} {numbers[0]!r} 1 1 1"/>')
    text = MODEL.format(bodies="".join(bodies), pairs="".join(pairs),
                        equalities="".join(equalities))
    return mujoco.MjModel.from_xml_string(text), sum(parts.values(), [])


def prepare(problem, **_):
    made, order = model(problem)
    data = mujoco.MjData(made)
    made.opt.solver = METHODS["pgs"]  # the only one for which it computes A
    mujoco.mj_forward(made, data)
    if data.nefc != problem.rows:
        raise NotImplementedError(f"{data.nefc} constraints in place of {problem.rows} rows")
    A = (delassus_convex.symmetric(problem) - problem.R)[np.ix_(order, order)]
    values, vectors = np.linalg.eigh(A)
    R = np.diag(problem.R)[order]
    data.efc_J[:] = (vectors * np.sqrt(np.maximum(values, 0))).reshape(data.efc_J.shape)
    data.efc_R[:], data.efc_D[:], data.efc_aref[:] = R, 1 / R, -problem.b[order]
    for contact in data.contact:
        first = contact.efc_address
        contact.mu = contact.friction[0] * np.sqrt(R[first + 1] / R[first])
    mujoco.mj_projectConstraint(made, data)
    return made, data, order


def with_method(method):
    def solve(prepared, request):
        made, data, order = prepared
        made.opt.solver, made.opt.iterations = method, request.max_iterations
        made.opt.tolerance = request.tolerance
        data.qacc_smooth[:], data.qacc_warmstart[:] = 0, 0
        mujoco.mj_fwdConstraint(made, data)
        impulses = np.empty(len(order))
        impulses[order] = data.efc_force
        count = int(data.solver_niter[0])
        last = data.solver[min(count, len(data.solver)) - 1]
        own = {"improvement": last.improvement, "gradient": last.gradient}
        claimed = "converged" if count < request.max_iterations else "limit"
        return Answer(impulses, claimed, count, own)

    return delassus_limit.timed(solve)


METHODS = {"newton": mujoco.mjtSolver.mjSOL_NEWTON, "cg": mujoco.mjtSolver.mjSOL_CG,
           "pgs": mujoco.mjtSolver.mjSOL_PGS}
serve("mujoco", mujoco.__version__, [
    Solver(name, with_method(method), ["equality", "bounds", "convex-cone"],
           "improvement of the cost, or gradient, over the mean inertia", "-", prepare,
           compliance="diagonal")
    for name, method in METHODS.items()
])
