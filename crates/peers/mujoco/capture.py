"""Captures frames of MuJoCo at its default settings: the problem and MuJoCo's own forces.

    python capture.py FOLDER [ITERATIONS]

`export.py` says how a step of MuJoCo is a frozen problem. There MuJoCo's forces are a known solution
at tolerance 0; here they are what the default settings leave: the pyramidal cone, Newton's method
from the acceleration of the step before, at most 100 iterations, tolerance 1e-8, steps of 2 ms.
With ITERATIONS the tolerance is 0.
"""

import sys
from pathlib import Path

import mujoco
import numpy as np
from export import VERSION, freeze, mass_matrix, trees_of, write


def box(mass, half, place, inside="", name=""):
    """A free body, or a fixed geom if its mass is 0."""
    half, place = (" ".join(f"{x:.9g}" for x in numbers) for numbers in (half, place))
    geom = f'<geom type="box" size="{half}" friction="0.5"'
    if mass == 0:
        return f'{geom} pos="{place}"/>'
    return f'<body name="{name}" pos="{place}"><freejoint/>{geom} mass="{mass}"/>{inside}</body>'


def model(world, more=""):
    return f"""<mujoco><option gravity="0 -9.81 0"/><worldbody>{world}</worldbody>{more}</mujoco>"""


FLOOR = box(0, (20, 1, 20), (0, -1, 0))


def stack():
    return model(FLOOR + "".join(box(1, (0.5, 0.5, 0.5), (0, 0.5 + i, 0)) for i in range(10)))


def chain():
    """Ten free links, the last one a hundred times heavier, that equality constraints connect.

    A chain of MuJoCo's own joints has no rows: its links are coordinates of one tree.
    """
    links = [box(100 if i == 9 else 1, (0.2, 0.1, 0.1), (0.5 + 0.5 * i, 10, 0), name=f"l{i}") for i in range(10)]
    joints = ['<connect body1="l0" anchor="-.25 0 0"/>']
    joints += [f'<connect body1="l{i}" body2="l{i + 1}" anchor=".25 0 0"/>' for i in range(9)]
    pairs = "".join(f'<exclude body1="l{i}" body2="l{i + 1}"/>' for i in range(9))
    return model("".join(links), f"<equality>{''.join(joints)}</equality><contact>{pairs}</contact>")


def part(mass, half, place, joint, pivot, limits, inside=""):
    """A body of a tree that turns about `pivot`; places are relative to the parent."""
    half, place, pivot = (" ".join(f"{x:.9g}" for x in numbers) for numbers in (half, place, pivot))
    low, high = limits
    return f"""<body pos="{place}"><joint {joint} pos="{pivot}" limited="true" range="{low} {high}"/>
<geom type="box" size="{half}" mass="{mass}" friction="0.5"/>{inside}</body>"""


def ragdoll():
    """Torso, head, arms and legs of two parts, joints with limits in one tree, dropped on the floor."""
    limbs = part(5, (0.1, 0.12, 0.1), (0, 0.45, 0), 'type="ball"', (0, -0.14, 0), (0, 23))
    for s in (-1, 1):
        elbow = (-86, 0) if s < 0 else (0, 86)
        lower = part(2, (0.15, 0.04, 0.04), (s * 0.34, 0, 0), 'type="hinge" axis="0 0 1"', (-s * 0.17, 0, 0), elbow)
        limbs += part(3, (0.15, 0.05, 0.05), (s * 0.38, 0.2, 0), 'type="ball"', (-s * 0.16, 0, 0), (0, 69), lower)
        shin = part(4, (0.06, 0.2, 0.06), (0, -0.42, 0), 'type="hinge" axis="1 0 0"', (0, 0.21, 0), (0, 86))
        limbs += part(8, (0.07, 0.2, 0.07), (s * 0.12, -0.52, 0), 'type="ball"', (0, 0.21, 0), (0, 34), shin)
    return model(FLOOR + box(30, (0.2, 0.3, 0.12), (0, 1.3, 0), limbs))


def grasp():
    """A box between two fingers on slides, which motors press together with 60 N."""
    fingers = "".join(
        f"""<body pos="{s * 0.151} 1.65 0"><joint name="slide{s}" type="slide" axis="{-s} 0 0"/>
<geom type="box" size=".05 .2 .1" mass="0.5" friction="0.6"/></body>"""
        for s in (-1, 1)
    )
    world = box(0, (0.5, 0.1, 0.1), (0, 2, 0)) + box(1, (0.1, 0.1, 0.1), (0, 1.6, 0)) + fingers
    motors = "".join(f'<motor joint="slide{s}"/>' for s in (-1, 1))
    return model(world, f"<actuator>{motors}</actuator>")


SCENES = {"stack": (stack, 500), "chain": (chain, 333), "ragdoll": (ragdoll, 250), "grasp": (grasp, 250)}


def solved_velocities(m, d):
    """Lᵀ (v + h a) of each tree with M = L Lᵀ, padded to six per body, as `freeze` orders them."""
    mass, solved, parts = mass_matrix(m, d), d.qvel + m.opt.timestep * d.qacc, []
    for dofs in trees_of(m):
        speeds = np.zeros(6 * -(-len(dofs) // 6))
        speeds[: len(dofs)] = np.linalg.cholesky(mass[np.ix_(dofs, dofs)]).T @ solved[dofs]
        parts.append(speeds)
    return np.concatenate(parts).reshape(-1, 6)


def main(arguments):
    if mujoco.__version__ != VERSION:
        sys.exit(f"capture.py: MuJoCo {mujoco.__version__} is installed; install mujoco=={VERSION}")
    if len(arguments) not in (1, 2):
        sys.exit(__doc__)
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for scene, (build, steps) in SCENES.items():
        m = mujoco.MjModel.from_xml_string(build())
        m.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        if len(arguments) == 2:
            m.opt.iterations, m.opt.tolerance, m.opt.ls_tolerance = int(arguments[1]), 0, 1e-10
        d = mujoco.MjData(m)
        if m.nu:
            d.ctrl[:] = 60
        for _ in range(steps - 1):
            mujoco.mj_step(m, d)
        # the solve of the next step, from the acceleration of the last one, as mj_step makes it
        mujoco.mj_forward(m, d)
        tensors, text = freeze(m, d, f"mujoco-{scene}", f"scene {scene}, crates/peers/mujoco/capture.py")
        tensors["captured/impulses"] = tensors.pop("reference/impulses")
        tensors["captured/velocities"] = ("F64", np.array(solved_velocities(m, d), dtype="<f8"))
        tensors["captured/iterations"] = ("U64", np.array([d.solver_niter[0]], dtype="<u8"))
        del text["reference_provenance"]
        text |= {"captured_engine": "MuJoCo", "captured_version": VERSION, "captured_pass": "step"}
        text |= {"captured_step": str(steps - 1), "captured_substep": "0"}
        write(folder / f"mujoco-{scene}.dls", tensors, text)


if __name__ == "__main__":
    main(sys.argv[1:])
