"""Solves and certified references."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from delassus import _native
from delassus._arrays import Floats, vector
from delassus._native import DelassusError
from delassus._own import AnySolver, declare, maker
from delassus._problem import Problem


@dataclass(frozen=True)
class Result:
    """What a solve reached; residuals are computed outside the solver, in f64."""

    solver: str
    """Its name."""
    status: str
    """`solved` only if the residual is within the tolerance; docs/statuses.md has the others."""
    message: str | None
    """Why it ended, where a solver gave up."""
    residual: float
    """What the tolerance is compared with [-]: the natural map, the larger of its two forms."""
    residuals: dict[str, float]
    """Every residual that applies, by its identifier."""
    seconds: float
    """Time in the solver and in the residuals [s]."""
    sweeps: int
    """Sweeps done [-]."""
    row_updates: int
    """Updates of scalar rows done [-]."""
    history_sweeps: NDArray[np.uint64]
    """Sweeps after which the residual was computed [-]."""
    history_residuals: Floats
    """The residuals there [-]."""
    impulses: Floats
    """λ (m) [N·s]."""
    velocities: Floats
    """Velocities of the bodies (N x 6) [m/s, rad/s]; no rows without bodies."""
    approximations: list[str]
    """What the solver solves in place of the problem; empty if it solves the problem itself."""
    decisions: list[str]
    """Why a solver that chooses between others chose them."""

    @property
    def solved(self) -> bool:
        """True if the residual is within the tolerance."""
        return self.status == "solved"

    def __repr__(self) -> str:
        """Status, residual and sweeps."""
        return f"<{self.solver}: {self.status}, {self.residual:.1e} after {self.sweeps} sweeps>"


def solve(
    problem: Problem,
    solver: str | AnySolver = "auto",
    *,
    tol: float = 1e-8,
    max_sweeps: int = 10_000,
    start: ArrayLike | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Result:
    """Solve a problem to a tolerance [-] with a solver by name, or with your own.

    `start` are impulses (m) to begin with. `parameters` are those of a named solver. The
    interpreter is free for other threads while a native solver works; Ctrl-C ends the solve.

    >>> contact = Problem.from_arrays(A=np.eye(3), b=[-1.0, 0.2, 0.0], mu=0.5)
    >>> solve(contact, "pgs").impulses.round(9).tolist()
    [1.0, -0.2, 0.0]
    >>> solve(contact, "blok-gs")
    Traceback (most recent call last):
    delassus.DelassusError: unknown solver "blok-gs"; did you mean "block-gs"?

    Raises `DelassusError` for unknown names and wrong parameters, `SolverError` if the solver
    refuses the problem or fails, and what your own code raises. Not converging is a status.
    """
    if max_sweeps < 0:
        raise DelassusError(f"max_sweeps = {max_sweeps}: a whole number, 0 or more")
    begin = None if start is None else vector("start", start)
    if isinstance(solver, str):
        name = solver
        given = json.dumps(dict(parameters)) if parameters else "{}"
        found = _native.solve(problem._native, solver, given, tol, max_sweeps, begin)
    else:
        if parameters:
            raise DelassusError(
                "parameters are for solvers by name: give your own class its numbers"
            )
        declaration = declare(solver)
        name = declaration.id
        found = _native.solve_own(
            problem._native, maker(solver), declaration, tol, max_sweeps, begin
        )
    found["velocities"] = found["velocities"].reshape(-1, 6)
    return Result(solver=name, **found)


@dataclass(frozen=True)
class Solution:
    """A certified solution."""

    impulses: Floats
    """λ (m) [N·s]."""
    velocities: Floats
    """v⁺ (6 N), or w (m) of a problem without bodies."""
    residual: float
    """Natural map [-]."""
    agreement: float
    """Largest difference among the methods that agree [-]."""
    methods: list[str]
    """The methods that agree."""


@dataclass(frozen=True)
class Reference:
    """Solutions on which independent methods agree, that with the smallest residual first."""

    solutions: list[Solution]
    """Solutions whose velocities differ; never empty."""
    uniqueness: str
    """`convex`: all have the same velocities; `enumerated`: there are no others; `open`."""


def reference(problem: Problem, *, tol: float = 1e-10, thorough: bool = False) -> Reference:
    """Certify solutions of a small problem; `thorough` asks every method.

    >>> lcp = Problem.from_arrays(A=[[2.0, 1.0], [1.0, 2.0]], b=[-5.0, -6.0])
    >>> reference(lcp).solutions[0].impulses.round(9).tolist()
    [1.333333333, 2.333333333]

    Raises `SolverError` with the reason if no two methods agree.
    """
    found = _native.reference(problem._native, tol, thorough)
    solutions = [Solution(**one) for one in found["solutions"]]
    return Reference(solutions=solutions, uniqueness=found["uniqueness"])
