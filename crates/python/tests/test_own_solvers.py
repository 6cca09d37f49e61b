"""Solvers in Python: the laws find planted mistakes, and a comparison shows them beside others."""

import sys
import threading
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from conftest import block_problem

from delassus import DelassusError, Problem, SolverError, check_solver, compare, solve

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))

from gauss_seidel import BlockDescent


class WrongFrictionSign(BlockDescent):
    def update(self, block):
        rows = block.rows
        velocity = self.matrix[rows] @ self.x + self.b[rows]
        if block.law in ("fixed-box", "pyramid", "disc"):
            velocity[1:] *= -1.0
        step = 1.0 / np.trace(self.matrix[rows, rows])
        return self.problem.project(self.x[rows] - step * velocity, block.index)


class ClampedIncrements(BlockDescent):
    def update(self, block):
        rows = block.rows
        velocity = self.matrix[rows] @ self.x + self.b[rows]
        step = 1.0 / np.trace(self.matrix[rows, rows])
        return self.x[rows] + self.problem.project(-step * velocity, block.index)


class OneSweepShort(BlockDescent):
    def iterate(self, n):
        super().iterate(n - 1)


class TakesAAsSymmetric(BlockDescent):
    def prepare(self, problem, start):
        super().prepare(problem, start)
        self.matrix = self.matrix.T


class StaleStart(BlockDescent):
    def prepare(self, problem, start):
        last = getattr(self, "x", None)
        super().prepare(problem, start)
        if last is not None and last.shape == start.shape:
            self.x = last


def test_the_correct_solver_obeys_every_law(capsys):
    check = check_solver(BlockDescent, share=3)
    assert check.passed, str(check)
    met = {law.law for law in check.laws if law.verdict == "holds"}
    assert met >= {1, 2, 4, 5, 7, 8, 10, 12, 13, 16}, str(check)
    assert capsys.readouterr().out.startswith("BlockDescent: 0 of 13 laws are broken")


@pytest.mark.parametrize(
    ("solver", "law"),
    [
        (WrongFrictionSign, 4),
        (ClampedIncrements, 4),
        (OneSweepShort, 1),
        (TakesAAsSymmetric, 4),
        (StaleStart, 5),
    ],
)
def test_planted_mistakes_are_found(solver, law, capsys):
    check = check_solver(solver, laws=[law])
    assert [one.law for one in check.broken] == [law], str(check)
    printed = capsys.readouterr().out
    assert f"{solver.__name__}: 1 of 1 laws are broken" in printed
    assert check.broken[0].message in printed or "…" in printed
    # the law is not broken by what the mistake was planted in
    assert check_solver(BlockDescent, laws=[law], share=4, quiet=True).passed


def test_only_the_unsymmetric_case_shows_a_transposed_matrix():
    broken = check_solver(TakesAAsSymmetric, laws=[4], quiet=True).broken
    assert broken[0].case == "bounds, matrix that is not symmetric"

    class Declares(TakesAAsSymmetric):
        symmetric_only = True

    # what is not claimed is refused; law 4 holds on the rest
    assert check_solver(Declares, laws=[4], share=6, quiet=True).passed


def step(problem, impulses):
    scale = (problem.A + problem.R).trace()
    return problem.project(impulses - problem.corrected(problem.velocity(impulses)) / scale)


def test_a_function_is_a_solver(problem):
    own = solve(problem, step, tol=1e-8, max_sweeps=20_000)
    other = solve(problem, "block-gs", tol=1e-10)
    assert own.solved and own.solver == "step"
    assert np.allclose(problem.velocity(own.impulses), problem.velocity(other.impulses), atol=1e-6)


def test_exceptions_of_a_solver_reach_the_caller(problem):
    class Fails(BlockDescent):
        laws = ("bounds", "disc", "coulomb")

        def iterate(self, n):
            raise ZeroDivisionError("on purpose")

    with pytest.raises(ZeroDivisionError, match="on purpose"):
        solve(problem, Fails)
    check = check_solver(Fails, laws=[4], quiet=True)
    assert isinstance(check.broken[0].exception, ZeroDivisionError)


def test_what_is_no_solver_is_refused(problem):
    class Half:
        def prepare(self, problem):
            pass

    with pytest.raises(DelassusError, match="Half has no method iterate"):
        solve(problem, Half)
    with pytest.raises(DelassusError, match="is no solver"):
        solve(problem, 3)
    with pytest.raises(DelassusError, match='did you mean "disc"'):
        solve(problem, type("Odd", (BlockDescent,), {"laws": ("disk",)}))
    with pytest.raises(SolverError, match="coulomb"):
        solve(problem, BlockDescent)
    with pytest.raises(SolverError, match=r"returns 3 numbers"):
        solve(problem, lambda problem, impulses: impulses[:3])
    with pytest.raises(DelassusError, match="no law 3 here"):
        check_solver(BlockDescent, laws=[3])


def test_a_prepare_without_start_is_taken_cold(problem):
    class Cold:
        def prepare(self, problem):
            self.problem, self.x = problem, np.zeros(problem.rows)

        def iterate(self, n):
            for _ in range(n):
                self.x = step(self.problem, self.x)

        def impulses(self):
            return self.x

    assert solve(problem, Cold, max_sweeps=20_000).solved
    with pytest.raises(SolverError, match="takes no start"):
        solve(problem, Cold, start=np.ones(problem.rows))


def test_numbers_that_are_not_finite_are_a_status(problem):
    found = solve(problem, lambda problem, impulses: impulses + np.inf)
    assert found.status == "non_finite"


def test_scaled_laws_reach_a_solver_in_round_rows():
    seen = []

    def watched(problem, impulses):
        seen.append(problem.blocks[0].law)
        return step(problem, impulses)

    made = Problem.from_arrays(
        A=np.diag([1.0, 2.0, 3.0]),
        b=[-1.0, 0.5, 0.25],
        blocks=[("anisotropic", 3, [0.4, 0.2, 0.3])],
    )
    own = solve(made, watched, max_sweeps=5_000)
    other = solve(made, "block-gs", tol=1e-10)
    assert own.solved and set(seen) == {"coulomb"}
    assert np.allclose(own.impulses, other.impulses, atol=1e-6)


def test_a_comparison_has_rows_a_figure_and_latex(tmp_path):
    problems = [block_problem(seed, f"case_{seed}") for seed in (1, 2)]
    found = compare([step, "pgs", BlockDescent], problems, tol=1e-6, max_sweeps=20_000)
    assert [row["solver"] for row in found.rows] == ["step", "pgs", "BlockDescent"] * 2
    assert {row["status"] for row in found.rows} == {"solved", "unsupported"}
    assert "coulomb" in found.rows[2]["message"] and found.results[2] is None
    root = ElementTree.fromstring(found.svg())
    text = " ".join(root.itertext())
    assert root.tag.endswith("svg") and "case_1" in text and "BlockDescent" in text
    found.save(tmp_path / "figure.svg", column=True)
    assert ElementTree.parse(tmp_path / "figure.svg").getroot().get("width") != root.get("width")
    assert found._repr_svg_() == found.svg() and "<table>" in found._repr_html_()
    latex = found.latex()
    assert r"case\_1 & " + str(found.rows[0]["sweeps"]) in latex and latex.count("--") == 2
    assert compare([step], problems[0], tol=1e-6, max_sweeps=20_000).rows[0] == found.rows[0]


def test_frames_of_pandas_and_polars():
    found = compare(["pgs", "nncg"], block_problem())
    for name, method in (("pandas", found.to_pandas), ("polars", found.to_polars)):
        if __import__("importlib").util.find_spec(name) is None:
            with pytest.raises(DelassusError, match=f"pip install {name}"):
                method()
        else:
            assert method().shape == (2, 8)


def test_two_solvers_need_two_names(problem):
    with pytest.raises(DelassusError, match="two solvers have one name"):
        compare([step, step], problem)


def test_native_solves_leave_the_interpreter_to_other_threads():
    started, ticks, done = threading.Event(), [], threading.Event()
    problem = Problem.generate("stack", n=40)

    def tick():
        started.set()
        while not done.is_set():
            ticks.append(len(ticks))
            time.sleep(0.001)

    ticking = threading.Thread(target=tick)
    ticking.start()
    started.wait()
    # without the switch interval only a released interpreter lets the other thread run
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    try:
        before = len(ticks)
        found = solve(problem, "pgs", tol=0.0, max_sweeps=20_000)
        during = len(ticks)
    finally:
        sys.setswitchinterval(interval)
        done.set()
        ticking.join()
    assert found.sweeps == 20_000 and during > before
