"""Solvers side by side: rows, a figure, LaTeX."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from delassus import _native
from delassus._arrays import PathLike, module
from delassus._native import DelassusError
from delassus._own import AnySolver, declare
from delassus._problem import Problem
from delassus._solve import Result, solve

_COLUMNS = ("problem", "rows", "solver", "status", "sweeps", "row_updates", "residual", "message")


@dataclass
class _Curve:
    solver: int
    sweeps: list[float]
    residuals: list[float]
    solved: bool


@dataclass
class _Panel:
    title: str
    curves: list[_Curve]


@dataclass(frozen=True)
class Comparison:
    """What every solver did on every problem. A notebook shows the figure."""

    solvers: list[str]
    """Names, in the order given."""
    tolerance: float
    """Of every solve [-]."""
    rows: list[dict[str, Any]]
    """One per problem and solver: names, status, counts and residuals."""
    results: list[Result | None]
    """In the order of `rows`; None where a solver refuses a problem."""

    def svg(self, *, column: bool = False) -> str:
        """Draw residuals over sweeps, a panel per problem, for a page or for one column of it."""
        panels: dict[str, _Panel] = {}
        for row, result in zip(self.rows, self.results, strict=True):
            panel = panels.setdefault(row["problem"], _Panel(row["problem"], []))
            if result is not None:
                panel.curves.append(
                    _Curve(
                        self.solvers.index(row["solver"]),
                        [float(sweeps) for sweeps in result.history_sweeps],
                        result.history_residuals.tolist(),
                        result.solved,
                    )
                )
        shown = list(panels.values())
        return _native.convergence_figure(self.solvers, shown, self.tolerance, column)

    def save(self, path: PathLike, *, column: bool = False) -> None:
        """Write the figure as an SVG file."""
        Path(path).write_text(self.svg(column=column), encoding="utf-8")

    def latex(self) -> str:
        r"""Make a table of sweeps for LaTeX with `booktabs`; – where a solver did not arrive."""
        problems = list(dict.fromkeys(row["problem"] for row in self.rows))
        sweeps = {
            (row["problem"], row["solver"]): row["sweeps"] if row["status"] == "solved" else None
            for row in self.rows
        }
        lines = [r"\begin{tabular}{l" + "r" * len(self.solvers) + "}", r"\toprule"]
        lines.append(" & ".join(["problem", *map(_tex, self.solvers)]) + r" \\")
        lines.append(r"\midrule")
        for problem in problems:
            counts = [sweeps.get((problem, solver)) for solver in self.solvers]
            cells = ["--" if count is None else str(count) for count in counts]
            lines.append(" & ".join([_tex(problem), *cells]) + r" \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])

    def to_pandas(self) -> Any:
        """Return the rows as a frame of pandas."""
        return module("pandas").DataFrame(self.rows, columns=list(_COLUMNS))

    def to_polars(self) -> Any:
        """Return the rows as a frame of polars."""
        return module("polars").DataFrame(self.rows, infer_schema_length=None)

    def to_arrow(self) -> Any:
        """Return the rows as a table of Arrow; needs pyarrow."""
        return module("pyarrow").Table.from_pylist(self.rows)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        shown = _COLUMNS[:-1]
        head = "".join(f"<th>{name}</th>" for name in shown)
        body = "".join(
            "<tr>" + "".join(f"<td>{_cell(row[name])}</td>" for name in shown) + "</tr>"
            for row in self.rows
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return self.svg() + table

    def __str__(self) -> str:
        """One line per problem and solver."""
        width = max((len(row["problem"]) for row in self.rows), default=0)
        names = max(map(len, self.solvers), default=0)
        return "\n".join(
            f"{row['problem']:<{width}}  {row['solver']:<{names}}  {row['status']:<11}"
            f" {row['sweeps'] if row['sweeps'] is not None else '–':>7} {_cell(row['residual'])}"
            for row in self.rows
        )


def compare(
    solvers: Sequence[str | AnySolver],
    problems: Problem | Iterable[Problem],
    *,
    tol: float = 1e-8,
    max_sweeps: int = 1_000,
) -> Comparison:
    """Solve every problem with every solver, by name or your own, from zero impulses.

    A solver that refuses a problem gets the status `unsupported` with the reason.

    >>> problem = Problem.generate("chain", n=4)
    >>> result = compare(["pgs", "nncg"], problem)
    >>> [row["status"] for row in result.rows]
    ['solved', 'solved']
    """
    names = [one if isinstance(one, str) else declare(one).id for one in solvers]
    if len(set(names)) < len(names):
        raise DelassusError(f"two solvers have one name: {', '.join(names)}")
    given = [problems] if isinstance(problems, Problem) else list(problems)
    labels = _labels(given)
    rows: list[dict[str, Any]] = []
    results: list[Result | None] = []
    for label, problem in zip(labels, given, strict=True):
        for name, solver in zip(names, solvers, strict=True):
            result, refusal = _attempt(problem, solver, tol, max_sweeps)
            results.append(result)
            rows.append(_row(label, problem, name, result, refusal))
    return Comparison(names, tol, rows, results)


def _attempt(
    problem: Problem, solver: str | AnySolver, tol: float, max_sweeps: int
) -> tuple[Result | None, str]:
    try:
        return solve(problem, solver, tol=tol, max_sweeps=max_sweeps), ""
    except _native.SolverError as error:
        return None, str(error)


def _row(
    label: str, problem: Problem, name: str, result: Result | None, refusal: str
) -> dict[str, Any]:
    values: tuple[Any, ...]
    if result is None:
        values = ("unsupported", None, None, None, refusal)
    else:
        values = (
            result.status,
            result.sweeps,
            result.row_updates,
            result.residual,
            result.message or "",
        )
    return dict(zip(_COLUMNS, (label, problem.rows, name, *values), strict=True))


def _labels(problems: list[Problem]) -> list[str]:
    """Names, with a number where two problems have one."""
    names = [problem.name for problem in problems]
    return [
        f"{name} #{index + 1}" if names.count(name) > 1 else name
        for index, name in enumerate(names)
    ]


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.1e}" if np.isfinite(value) else str(value)
    return html.escape(str(value))


def _tex(text: str) -> str:
    signs = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(signs.get(c, "\\" + c if c in "{}$&#%_" else c) for c in text)
