"""Rigid-body constraint solvers behind one interface, and your own solver among them.

>>> import delassus
>>> problem = delassus.Problem.from_arrays(A=[[2.0, 1.0], [1.0, 2.0]], b=[-5.0, -6.0])
>>> solved = delassus.solve(problem, "pgs", tol=1e-10)
>>> solved.status, solved.impulses.round(6).tolist()
('solved', [1.333333, 2.333333])
"""

from delassus._arrays import Floats
from delassus._check import Check, LawVerdict, check_solver
from delassus._compare import Comparison, compare
from delassus._figures import Figure, Replay, replay
from delassus._lists import (
    list_generators,
    list_laws,
    list_metrics,
    list_scenes,
    list_schemes,
    list_solvers,
)
from delassus._native import DelassusError, FileError, SolverError
from delassus._native import version as __version__
from delassus._own import Solver, StepFunction
from delassus._problem import Block, Law, Problem
from delassus._results import Results, Table, program, run
from delassus._solve import Reference, Result, Solution, reference, solve
from delassus._world import Contacts, Step, World, poses_of, step_worlds, velocities_of

__all__ = [
    "Block",
    "Check",
    "Comparison",
    "Contacts",
    "DelassusError",
    "Figure",
    "FileError",
    "Floats",
    "Law",
    "LawVerdict",
    "Problem",
    "Reference",
    "Replay",
    "Result",
    "Results",
    "Solution",
    "Solver",
    "SolverError",
    "Step",
    "StepFunction",
    "Table",
    "World",
    "__version__",
    "check_solver",
    "compare",
    "list_generators",
    "list_laws",
    "list_metrics",
    "list_scenes",
    "list_schemes",
    "list_solvers",
    "poses_of",
    "program",
    "reference",
    "replay",
    "run",
    "solve",
    "step_worlds",
    "velocities_of",
]
