"""Solvers written in Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from delassus._arrays import Floats, vector
from delassus._native import DelassusError, NativeProblem, SolverError
from delassus._problem import Problem


@runtime_checkable
class Solver(Protocol):
    """What a class has to be a solver; instances are made without arguments.

    `prepare(problem, start)` begins at the impulses `start` (m, zeros in a cold start). A
    `prepare(problem)` without `start` makes a solver that always begins at its own impulses; warm
    starts are then an error. `iterate(n)` does n sweeps. `impulses()` returns λ (m) [N·s].

    Attributes say what differs from a solver that claims everything: `name`; `laws`, the
    identifiers of the laws that it solves; `direct = True`, one call of `iterate` solves;
    `coupled_compliance = False`, R must be diagonal; `symmetric_only = True`, A must be symmetric;
    `needs_bodies = True`; `deterministic = False`; `unit_is_map = False`, a sweep depends on more
    than the impulses. Problems that a solver does not claim are refused.
    """

    def iterate(self, n: int) -> Any:
        """Do n sweeps."""

    def impulses(self) -> Any:
        """Return the impulses (m) [N·s]."""


StepFunction: TypeAlias = Callable[[Problem, Floats], Any]
"""One sweep as a function of a problem and impulses (m), which returns the next impulses (m)."""

AnySolver: TypeAlias = "type[Any] | StepFunction"


@dataclass(frozen=True)
class Declaration:
    """What the native module is told about a solver."""

    id: str
    laws: Sequence[str] | None
    direct: bool
    coupled_compliance: bool
    symmetric_only: bool
    needs_bodies: bool
    deterministic: bool
    unit_is_map: bool


def declare(solver: AnySolver) -> Declaration:
    """Read the attributes of a class or function."""
    if not callable(solver):
        raise DelassusError(
            f"{solver!r} is no solver: give a name, a class with prepare, iterate and impulses, or "
            "a function of a problem and impulses"
        )
    if inspect.isclass(solver):
        lacking = [key for key in ("prepare", "iterate", "impulses") if not hasattr(solver, key)]
        if lacking:
            raise DelassusError(f"{solver.__name__} has no method {lacking[0]}")
    name = getattr(solver, "name", None)
    laws = getattr(solver, "laws", None)
    return Declaration(
        id=name if isinstance(name, str) else getattr(solver, "__name__", type(solver).__name__),
        laws=None if laws is None else [str(law) for law in laws],
        direct=bool(getattr(solver, "direct", False)),
        coupled_compliance=bool(getattr(solver, "coupled_compliance", True)),
        symmetric_only=bool(getattr(solver, "symmetric_only", False)),
        needs_bodies=bool(getattr(solver, "needs_bodies", False)),
        deterministic=bool(getattr(solver, "deterministic", True)),
        unit_is_map=bool(getattr(solver, "unit_is_map", True)),
    )


def maker(solver: AnySolver) -> Callable[[], Any]:
    """Return what makes the object that the native module calls."""
    if inspect.isclass(solver):
        return lambda: _OfClass(solver)
    return lambda: _OfFunction(solver)


class _OfClass:
    """A user's object behind the calls of the native module."""

    def __init__(self, solver: type[Any]) -> None:
        self._name = solver.__name__
        self._solver = solver()
        parameters = inspect.signature(self._solver.prepare).parameters.values()
        by_place = (
            inspect.Parameter.POSITIONAL_ONLY,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            inspect.Parameter.VAR_POSITIONAL,
        )
        given = [one for one in parameters if one.kind in by_place]
        anything = any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in given)
        self._takes_start = anything or len(given) > 1

    def prepare(self, problem: NativeProblem, start: Floats) -> None:
        if self._takes_start:
            self._solver.prepare(Problem(problem), start)
            return
        if np.any(start != 0.0):
            raise SolverError(f"{self._name}.prepare takes no start: add a second argument")
        self._solver.prepare(Problem(problem))

    def iterate(self, n: int) -> None:
        self._solver.iterate(n)

    def impulses(self) -> Floats:
        return vector(f"{self._name}.impulses()", self._solver.impulses())


class _OfFunction:
    """One sweep as a function, repeated."""

    def __init__(self, step: StepFunction) -> None:
        self._step = step
        self._problem: Problem | None = None
        self._impulses: Floats = np.zeros(0)

    def prepare(self, problem: NativeProblem, start: Floats) -> None:
        self._problem = Problem(problem)
        self._impulses = start

    def iterate(self, n: int) -> None:
        if self._problem is None:
            raise SolverError("prepare the solver first")
        name = getattr(self._step, "__name__", "the function")
        for _ in range(n):
            # a copy: a function that writes into its argument changes nothing else
            found = self._step(self._problem, self._impulses.copy())
            self._impulses = vector(f"{name}(…)", found)

    def impulses(self) -> Floats:
        return self._impulses
