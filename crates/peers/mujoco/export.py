"""Freezes steps of MuJoCo as problem files whose known solution is MuJoCo's own.

    python export.py frozen FOLDER          the files that data/mujoco ships
    python export.py random COUNT FOLDER    COUNT random states, seeds 0 to COUNT - 1
    python export.py stiff COUNT FOLDER     the same, with R down to 1e-4 of the diagonal of A
    python export.py trajectories FOLDER    the runs that data/mujoco/*.csv ship

MuJoCo solves, in forces f = efc_force, K ∋ f ⊥ (A + R) f + J a0 - aref ∈ K*. Times the step h
this is the frozen problem with λ = h f, free velocity v + h a0 and bias -J v - h aref. Its mass
matrix M couples the joints of a tree, so each tree is written in the velocities y = Lᵀ v with
M = L Lᵀ: a body of unit mass and unit inertia for every six of them. A, b and R are MuJoCo's.
"""

import hashlib
import json
import struct
import sys
from pathlib import Path

import mujoco
import numpy as np

VERSION = "4.0.0"
LAWS = (
    "equality bounds frictionless fixed-box pyramid disc coulomb convex-cone patch facets rolling "
    "anisotropic elliptic-cone torsional"
).split()
WIDTH = {"F64": 8, "U64": 8, "U32": 4, "U8": 1}


def write(path, tensors, text):
    """Writes a snapshot of version 4; docs/file-formats.md has its layout and its checksum."""
    tensors = {name: (kind, np.ascontiguousarray(data)) for name, (kind, data) in tensors.items()}
    text = dict(text, format="delassus-problem", version="4", operator="bodies", laws=" ".join(LAWS))
    size = lambda number: struct.pack("<Q", number)
    digest = hashlib.sha256()
    for key in sorted(text):
        for part in (key.encode(), text[key].encode()):
            digest.update(size(len(part)) + part)
    for name in sorted(tensors):
        kind, data = tensors[name]
        for part in (name.encode(), kind.encode()):
            digest.update(size(len(part)) + part)
        digest.update(size(data.ndim) + b"".join(size(extent) for extent in data.shape))
        digest.update(size(data.nbytes) + data.tobytes())
    text["checksum"] = "sha256:" + digest.hexdigest()
    header, offset, body = {"__metadata__": text}, 0, b""
    for name in sorted(tensors, key=lambda name: (-WIDTH[tensors[name][0]], name)):
        kind, data = tensors[name]
        place = [offset, offset + data.nbytes]
        header[name] = {"dtype": kind, "shape": list(data.shape), "data_offsets": place}
        offset, body = offset + data.nbytes, body + data.tobytes()
    header = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    Path(path).write_bytes(size(len(header)) + header + body)


def mass_matrix(m, d):
    full = np.zeros((m.nv, m.nv))
    try:
        mujoco.mj_fullM(m, d, full)
    except TypeError:
        mujoco.mj_fullM(m, full, d.qM)
    return full


def blocks_of(m, d):
    """(first row, rows, law, numbers) of every block; friction loss is a bound of λ = h f."""
    h, row = m.opt.timestep, 0
    while row < d.nefc:
        kind = d.efc_type[row]
        if row < d.ne:
            yield row, 1, "equality", []
        elif row < d.ne + d.nf:
            loss = h * d.efc_frictionloss[row]
            yield row, 1, "bounds", [-loss, loss]
        elif kind == int(mujoco.mjtConstraint.mjCNSTR_CONTACT_ELLIPTIC):
            contact = d.contact[d.efc_id[row]]
            numbers = list(contact.friction[: contact.dim - 1])
            if len(numbers) == 2 and numbers[0] == numbers[1]:
                yield row, 3, "convex-cone", numbers[:1]
            else:
                yield row, contact.dim, "elliptic-cone", numbers
            row += contact.dim - 1
        else:
            yield row, 1, "bounds", [0.0, np.inf]
        row += 1


def trees_of(m):
    """The degrees of freedom that M couples: those of each tree of joints."""
    trees = {}
    for dof, tree in enumerate(m.dof_treeid):
        trees.setdefault(int(tree), []).append(dof)
    return list(trees.values())


def freeze(m, d, name, source):
    """Tensors and texts of the problem that MuJoCo has solved in mj_forward."""
    h, rows = m.opt.timestep, d.nefc
    jacobian = np.array(d.efc_J).reshape(rows, m.nv)
    mass, velocity = mass_matrix(m, d), np.array(d.qvel)
    free = velocity + h * np.array(d.qacc_smooth)
    columns, velocities = [], []
    for dofs in trees_of(m):
        lower = np.linalg.cholesky(mass[np.ix_(dofs, dofs)])
        bodies = -(-len(dofs) // 6)
        wide = np.zeros((rows, 6 * bodies))
        wide[:, : len(dofs)] = np.linalg.solve(lower, jacobian[:, dofs].T).T
        speeds = np.zeros(6 * bodies)
        speeds[: len(dofs)] = lower.T @ free[dofs]
        columns += np.split(wide, bodies, axis=1)
        velocities += np.split(speeds, bodies)
    blocks = list(blocks_of(m, d))
    numbers = np.zeros((len(blocks), 5))
    first_body, first_entry, bodies, entries = [0], [0], [], []
    for index, (first, dim, _, law) in enumerate(blocks):
        numbers[index, : len(law)] = law
        touched = [b for b, c in enumerate(columns) if np.any(c[first : first + dim])] or [0]
        bodies += touched
        entries += [columns[b][row] for row in range(first, first + dim) for b in touched]
        first_body.append(len(bodies))
        first_entry.append(len(entries))
    count = len(columns)
    whole = lambda numbers: ("U64", np.array(numbers, dtype="<u8"))
    real = lambda numbers: ("F64", np.array(numbers, dtype="<f8"))
    aref = np.array(d.efc_aref)
    tensors = {
        "blocks/dim": whole([dim for _, dim, _, _ in blocks]),
        "blocks/law": ("U8", np.array([LAWS.index(law) for _, _, law, _ in blocks], dtype="u1")),
        "blocks/parameters": real(numbers),
        "blocks/levers": real([]),
        "blocks/feature": whole(range(len(blocks))),
        "blocks/activity": ("U8", np.zeros(len(blocks), dtype="u1")),
        "rows/bias": real(-jacobian @ velocity - h * aref),
        "rows/compliance": real(d.efc_R),
        "coupled/block": whole([]),
        "coupled/compliance": real([]),
        "step": real([h, np.linalg.norm(m.opt.gravity)]),
        "bodies/inverse_mass": real(np.ones((count, 3))),
        "bodies/inverse_inertia": real(np.tile(np.eye(3), (count, 1, 1))),
        "bodies/free_velocity": real(velocities),
        "jacobian/first_body": whole(first_body),
        "jacobian/bodies": ("U32", np.array(bodies, dtype="<u4")),
        "jacobian/first_entry": whole(first_entry),
        "jacobian/entries": real(entries),
        "reference/impulses": real(h * np.array(d.efc_force)),
    }
    text = {
        "name": name,
        "provenance": f"MuJoCo {mujoco.__version__}, {source}; velocities Lᵀ v of each tree, M = L Lᵀ",
        "reference_provenance": "h efc_force of MuJoCo's Newton solver at tolerance 0",
    }
    return tensors, text


def forward(m, d):
    """Solves the present state as well as MuJoCo can, from a cold start."""
    m.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    m.opt.tolerance, m.opt.ls_tolerance, m.opt.iterations = 0, 1e-10, 300
    m.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    d.qacc_warmstart[:] = 0
    mujoco.mj_forward(m, d)


def stack(boxes, option):
    """A stack of cubes on the ground, pushed along x by gravity."""
    bodies = "".join(
        f'<body pos="0 0 {0.499 + 0.999 * i}"><freejoint/>'
        '<geom type="box" size=".5 .5 .5" mass="1" friction="0.5"/></body>'
        for i in range(boxes)
    )
    ground = '<geom type="plane" size="5 5 1" friction="0.5"/>'
    return f"<mujoco><option {option}/><worldbody>{ground}{bodies}</worldbody></mujoco>"


def mixed(option, slide, roll, impedance="0.9 0.95 0.001 0.5 2", time="0.02 1", dims=(4, 6)):
    """Contacts of condim 1, 3 and `dims`, limits, friction loss and an equality."""
    s, t, r = slide, 0.05 * slide, roll
    return f"""<mujoco><option {option}/><default><geom solimp="{impedance}" solref="{time}"/></default>
<worldbody><geom name="floor" type="plane" size="9 9 1" condim="1" friction="{s} {t} {r}"/>
<body pos="0 0 .8"><joint type="hinge" axis="0 1 0" range="-20 20" limited="true"
   frictionloss="0.7" solreflimit="0.03 0.8"/><geom type="capsule" fromto="0 0 0 .5 0 0" size=".04" mass="2"/>
 <body name="arm" pos=".5 0 0"><joint type="ball" frictionloss="0.01" range="0 15" limited="true"/>
  <geom type="capsule" fromto="0 0 0 .4 0 0" size=".04" mass="1"/></body></body>
<body name="ball" pos=".9 0 .7"><freejoint/><geom type="sphere" size=".1" mass="0.5"/></body>
<body pos="0 1 .099"><freejoint/><geom type="sphere" size=".1" mass="1.3" condim="{dims[1]}" friction="{s} {t} {r}"/></body>
<body pos="-1 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" condim="{dims[0]}" friction="{s} {t} {r}"/></body>
<body pos="-1 1 .1"><freejoint/><geom type="capsule" size=".1 .2" euler="0 90 0" mass="0.7" condim="1"/></body>
<body pos="2 0 .1"><freejoint/><geom name="crate" type="box" size=".1 .1 .1" mass="0.4"/></body></worldbody>
<contact><pair geom1="crate" geom2="floor" condim="3" friction="{s} {1.7 * s} {t} {r} {r}"/></contact>
<equality><connect body1="arm" body2="ball" anchor=".4 0 -.1"/></equality></mujoco>"""


def frozen():
    """(file, model, steps) of the problems that are shipped."""
    flat, steep = 'gravity="1 0 -9.81"', 'gravity="7 2 -9.81"'
    step = 'timestep="0.005"'
    yield "stack-elliptic", stack(3, f'{step} {flat} cone="elliptic" impratio="7"'), 40
    yield "stack-sliding", stack(3, f'{step} {steep} cone="elliptic" impratio="4"'), 30
    yield "stack-pyramidal", stack(3, f'{step} {flat} cone="pyramidal" impratio="3"'), 40
    step = 'timestep="0.004"'
    yield "mixed-elliptic", mixed(f'{step} cone="elliptic" impratio="5"', 0.6, 0.003), 150
    option = f'{step} cone="elliptic" impratio="2"'
    yield "mixed-three", mixed(option, 0.6, 0.003, dims=(3, 3)), 150
    tilted = f'{step} gravity="5 3 -9.81"'
    yield "mixed-sliding", mixed(f'{tilted} cone="elliptic" impratio="5"', 0.4, 0.002), 60
    yield "mixed-pyramidal", mixed(f'{step} cone="pyramidal" impratio="5"', 0.6, 0.003), 150
    own = dict(impedance="0.7 0.97 0.002 0.3 3", time="-2000 -50")
    yield "mixed-direct", mixed(f'{step} cone="elliptic" impratio="1"', 0.5, 0.004, **own), 90


def random_state(seed, stiff):
    """A model and a state that follow from the seed alone."""
    rng = np.random.default_rng(seed)
    cone = ("elliptic", "pyramidal")[seed % 2]
    gravity = np.append(rng.uniform(-6, 6, 2), -9.81)
    option = (
        f'timestep="{rng.choice([0.001, 0.002, 0.005])}" cone="{cone}" '
        f'impratio="{10 ** rng.uniform(-0.3, 2 if stiff else 1):.6g}" '
        f'gravity="{" ".join(map(str, gravity))}"'
    )
    low = rng.uniform(0.3, 0.95 if stiff else 0.9)
    high = rng.uniform(low, 0.99 if stiff else 0.95)
    curve = f"{10 ** rng.uniform(-4, -2)} {rng.uniform(0.2, 0.8)} {rng.integers(1, 4)}"
    time = f"{rng.uniform(0.005, 0.05)} {rng.uniform(0.4, 1.5)}"
    if rng.random() < 0.3:
        time = f"{-(10 ** rng.uniform(2.5, 4))} {-(10 ** rng.uniform(1, 2))}"
    friction = rng.uniform(0.1, 1.1), 10 ** rng.uniform(-3, -1.5)
    dims = (3, 3) if seed % 4 == 2 else (4, 6)
    model = mixed(option, *friction, f"{low} {high} {curve}", time, dims)
    m = mujoco.MjModel.from_xml_string(model)
    d = mujoco.MjData(m)
    for _ in range(int(rng.integers(5, 120))):
        mujoco.mj_step(m, d)
    d.qvel[:] += rng.normal(0, 0.3, m.nv)
    return m, d, cone


def save(m, d, folder, name, source):
    forward(m, d)
    tensors, text = freeze(m, d, name, source)
    write(folder / f"{name}.dls", tensors, text)


RUNS = {
    "ball": '<body pos="0 0 .5"><freejoint/><geom type="sphere" size=".2" mass="1.3" friction="0.4"/></body>',
    "pile": '<body pos="0 0 .2003"><freejoint/><geom type="sphere" size=".2" mass="2" friction="0.4"/></body>'
    '<body pos=".05 .02 .61"><freejoint/><geom type="sphere" size=".2" mass="0.5" friction="0.4"/></body>',
}
START = {"ball": [[1.2, -0.4, -1, 3, 9, -2]], "pile": [[0, 0, 0, 0, 0, 0], [0.1, 0, 0, 0, 0, 4]]}


def trajectories(folder):
    """Positions, quaternions, velocities, angular velocities in world axes of free balls."""
    for name, bodies in RUNS.items():
        model = f"""<mujoco><option timestep="0.002" cone="elliptic" impratio="3" gravity="0.5 0 -9.81"/>
<worldbody><geom type="plane" size="9 9 1" friction="0.4"/>{bodies}</worldbody></mujoco>"""
        m = mujoco.MjModel.from_xml_string(model)
        d = mujoco.MjData(m)
        forward(m, d)
        d.qvel[:] = np.ravel(START[name])
        lines = ["step,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"]
        for step in range(401):
            if step % 20 == 0:
                for body in range(m.nbody - 1):
                    place, speed = d.qpos[7 * body : 7 * body + 7], d.qvel[6 * body : 6 * body + 6]
                    spin = np.zeros(3)
                    mujoco.mju_rotVecQuat(spin, np.array(speed[3:]), np.array(place[3:]))
                    numbers = [*place, *speed[:3], *spin]
                    lines.append(f"{step},{body}," + ",".join(f"{x:.17g}" for x in numbers))
            mujoco.mj_step(m, d)
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")


def main(arguments):
    if mujoco.__version__ != VERSION:
        sys.exit(f"export.py: MuJoCo {mujoco.__version__} is installed; install mujoco=={VERSION}")
    counts = {"frozen": 2, "trajectories": 2, "random": 3, "stiff": 3}
    if not arguments or len(arguments) != counts.get(arguments[0]):
        sys.exit(__doc__)
    folder = Path(arguments[-1])
    folder.mkdir(parents=True, exist_ok=True)
    if arguments[0] == "trajectories":
        return trajectories(folder)
    if arguments[0] in ("random", "stiff"):
        for seed in range(int(arguments[1])):
            m, d, cone = random_state(seed, arguments[0] == "stiff")
            save(m, d, folder, f"{cone}-{seed:03}", f"export.py {arguments[0]}, seed {seed}")
        return None
    for name, model, steps in frozen():
        m = mujoco.MjModel.from_xml_string(model)
        d = mujoco.MjData(m)
        for _ in range(steps):
            mujoco.mj_step(m, d)
        save(m, d, folder, name, f"export.py, {name} after {steps} steps")
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
