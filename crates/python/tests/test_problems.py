"""Problems: arrays, files, refusals, and numbers computed here by NumPy."""

import importlib.util

import numpy as np
import pytest
from conftest import block_problem

import delassus
from delassus import DelassusError, FileError, Law, Problem, solve


def test_arrays_come_back(problem):
    draw = np.random.default_rng(0).normal(size=(8, 12))
    assert np.array_equal(problem.A, draw @ draw.T)
    assert np.array_equal(problem.R, np.zeros((8, 8)))
    x = np.random.default_rng(5).normal(size=8)
    assert np.allclose(problem.velocity(x), draw @ draw.T @ x + problem.b, rtol=1e-13)
    assert [(block.law, block.rows) for block in problem.blocks] == [
        ("coulomb", slice(0, 3)),
        ("disc", slice(3, 6)),
        ("bounds", slice(6, 8)),
    ]
    assert problem.inspect()["laws"] == {"bounds": 1, "disc": 1, "coulomb": 1}


def test_compliance_adds_to_the_matrix():
    R = np.array([[0.5, 0.1], [0.1, 0.25]])
    matrix = np.array([[2.0, 0.5], [0.5, 1.0]])
    made = Problem.from_arrays(A=matrix, b=[-1.0, -2.0], R=R, blocks=[("equality", 2)])
    assert np.array_equal(made.R, R)
    solved = solve(made, "dense-direct", tol=1e-12)
    assert np.allclose(solved.impulses, np.linalg.solve(matrix + R, [1.0, 2.0]), rtol=1e-12)
    diagonal = Problem.from_arrays(A=matrix, b=[-1.0, -2.0], R=[0.5, 0.25])
    assert np.array_equal(diagonal.R, np.diag([0.5, 0.25]))


def test_bodies_and_jacobians_give_the_matrix_of_numpy():
    rng = np.random.default_rng(11)
    J = rng.normal(size=(6, 12))
    J[:3, 6:] = 0.0
    half = rng.normal(size=(3, 3))
    M = np.zeros((2, 6, 6))
    M[0, :3, :3], M[0, 3:, 3:] = 0.5 * np.eye(3), half @ half.T
    M[1, :3, :3], M[1, 3:, 3:] = 2.0 * np.eye(3), np.diag([1.0, 2.0, 3.0])
    v, bias = rng.normal(size=12), rng.normal(size=6)
    made = Problem.from_arrays(J=J, M_inverse=M, v=v, bias=bias, mu=[0.2, 0.4])
    whole = np.zeros((12, 12))
    whole[:6, :6], whole[6:, 6:] = M
    assert np.allclose(made.A, J @ whole @ J.T, rtol=1e-12)
    assert np.allclose(made.b, J @ v + bias, rtol=1e-12)
    assert np.array_equal(made.J, J)
    assert np.array_equal(made.M_inverse, M)
    x = rng.normal(size=6)
    moved = v + whole @ J.T @ x
    assert np.allclose(made.body_velocities(x).reshape(-1), moved, rtol=1e-12)


def test_sparse_matrices_of_scipy_give_the_dense_problem():
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    dense = block_problem(3)
    blocks = [
        Law(block.law, block.rows.stop - block.rows.start, block.numbers) for block in dense.blocks
    ]
    for kind in (sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix):
        made = Problem.from_arrays(A=kind(dense.A), b=dense.b, blocks=blocks)
        assert np.array_equal(made.A, dense.A)
        assert made.blocks == dense.blocks


def sparse_jacobian():
    """Rows of two contacts between three bodies, with a body that the second does not touch."""
    rng = np.random.default_rng(21)
    J = rng.normal(size=(6, 18))
    J[:3, 12:] = 0.0
    J[3:, :6] = 0.0
    return J


def test_matrices_are_also_sparse_arrays_of_scipy():
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    J = sparse_jacobian()
    M = np.zeros((3, 6, 6))
    M[:] = np.diag([0.5, 0.5, 0.5, 2.0, 3.0, 4.0])
    R = [0.0, 0.25, 0.25, 0.0, 0.0, 0.5]
    of_bodies = Problem.from_arrays(J=J, M_inverse=M, v=np.ones(18), R=R, mu=[0.2, 0.4])
    for problem in (of_bodies, block_problem(3)):
        for name in ("A", "R", "J"):
            whole, found = getattr(problem, name), problem.sparse(name)
            if whole is None:
                assert found is None and name == "J" and problem.bodies is None
                continue
            assert isinstance(found, sparse.csr_array) and found.has_canonical_format
            assert np.array_equal(found.toarray(), whole) and found.nnz == np.count_nonzero(whole)
    found = of_bodies.sparse("J")
    assert np.array_equal(found.toarray(), J)
    # a sparse array in, the same out
    again = Problem.from_arrays(J=found, M_inverse=M, v=np.ones(18), R=R, mu=[0.2, 0.4])
    assert np.array_equal(again.A, of_bodies.A) and np.array_equal(again.R, np.diag(R))
    with pytest.raises(DelassusError, match='unknown matrix "b": A, R or J'):
        of_bodies.sparse("b")


def test_sparse_arrays_share_the_memory_of_the_module(monkeypatch):
    pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    problem = block_problem(4)
    handed = problem._native.sparse("A")

    class Watched:
        def sparse(self, name):
            return handed

        rows = problem.rows

    found = Problem(Watched()).sparse("A")
    for mine, given in zip((found.data, found.indices, found.indptr), handed, strict=False):
        assert mine.ctypes.data == given.ctypes.data


def test_a_contact_slides_with_the_closed_form():
    mu, n, t = 0.35, -1.5, 2.0
    made = Problem.from_arrays(A=np.diag([2.0, 3.0, 3.0]), b=[n, t, 0.0], mu=mu)
    normal = -n / 2.0
    expected = [normal, -mu * normal, 0.0]
    for solver in ("pgs", "block-gs", "auto"):
        solved = solve(made, solver, tol=1e-10)
        assert solved.solved and np.allclose(solved.impulses, expected, atol=1e-9)
        assert solved.residuals["natural_map"] == made.metrics(solved.impulses)["natural_map"]


@pytest.mark.parametrize("ending", [".dls", ".hdf5", ".dat", ".npz"])
def test_files_keep_the_problem(tmp_path, ending):
    contacts = Problem.from_arrays(
        A=np.diag([2.0, 1.0, 1.0]) + 0.1, b=[-1.0, 0.5, 0.25], mu=0.3, name="one"
    )
    path = tmp_path / f"one{ending}"
    contacts.save(path)
    read = Problem.load(path)
    assert np.array_equal(read.A, contacts.A) and np.array_equal(read.b, contacts.b)
    assert read.blocks == contacts.blocks
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_archives_open_in_numpy(tmp_path, problem):
    problem.save(tmp_path / "problem.npz", lossy=True)
    with np.load(tmp_path / "problem.npz") as archive:
        assert np.array_equal(archive["A"], problem.A)
        assert np.array_equal(archive["b"], problem.b)


def test_losses_are_refused_and_can_be_accepted(tmp_path):
    soft = Problem.from_arrays(A=np.eye(3), b=[-1.0, 0, 0], R=[0.5] * 3, mu=0.3)
    with pytest.raises(FileError, match=r"would lose something.*lossy=True accepts that"):
        soft.save(tmp_path / "soft.dat")
    assert list(tmp_path.iterdir()) == []
    soft.save(tmp_path / "soft.dat", lossy=True)
    assert np.allclose(Problem.load(tmp_path / "soft.dat").A, 1.5 * np.eye(3))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"b": [1.0]}, "give A and b, or J, M_inverse and v"),
        ({"A": np.eye(2)}, "b is missing"),
        ({"A": np.eye(2), "b": [1.0]}, "A has 2 rows and 2 columns, and the blocks ask for 1"),
        ({"A": np.eye(3), "b": [0, 0, 0], "mu": [0.1, 0.2]}, "mu has 2 numbers for 1 contacts"),
        ({"A": np.eye(2), "b": [0, 0], "mu": 0.1}, "2 rows are no contacts of 3 rows each"),
        ({"A": np.eye(1), "b": ["a"]}, "b is no array of real numbers"),
        ({"A": [[np.nan]], "b": [0.0]}, "not finite|finite"),
        ({"A": np.eye(3), "b": [0, 0, 0], "mu": -0.5}, "-0.5"),
        ({"A": np.eye(1), "b": [0], "blocks": [("coulom", 1, 0.5)]}, 'did you mean "coulomb"'),
        ({"A": np.eye(2), "b": [0, 0], "R": np.ones((2, 2))}, "R couples the rows 0 and 1"),
        (
            {"A": np.eye(2), "b": [0, 0], "R": [[1, 2], [3, 1]], "blocks": [("equality", 2)]},
            "R is not symmetric",
        ),
    ],
)
def test_bad_arrays_say_what_is_wrong(arguments, text):
    with pytest.raises(DelassusError, match=text):
        Problem.from_arrays(**arguments)


def test_bad_calls_have_the_texts_of_the_program(problem, tmp_path):
    with pytest.raises(DelassusError, match='unknown solver "blok-gs"; did you mean "block-gs"'):
        solve(problem, "blok-gs")
    with pytest.raises(DelassusError, match='no parameter "omgea"; did you mean "omega"'):
        solve(problem, "psor", parameters={"omgea": 1.5})
    with pytest.raises(DelassusError, match="tolerance"):
        solve(problem, "pgs", tol=-1.0)
    with pytest.raises(FileError, match=r"nothing\.dls"):
        Problem.load(tmp_path / "nothing.dls")
    with pytest.raises(DelassusError, match="8 rows"):
        problem.velocity([1.0])
    with pytest.raises(DelassusError, match="block 9: the problem has 3 blocks"):
        problem.project([1.0], block=9)


def test_not_converging_is_a_status(problem):
    found = solve(problem, "pgs", tol=1e-14, max_sweeps=2)
    assert (found.status, found.sweeps, found.solved) == ("max_sweeps", 2, False)
    assert found.history_sweeps.tolist() == [0, 1, 2]


def test_a_warm_start_at_the_solution_needs_no_sweep(problem):
    cold = solve(problem, "block-gs", tol=1e-10)
    warm = solve(problem, "block-gs", tol=1e-10, start=cold.impulses)
    assert cold.solved and (warm.sweeps, warm.status) == (0, "solved")


def test_references_are_certified():
    found = delassus.reference(Problem.generate("planted", seed=4))
    assert found.solutions[0].residual < 1e-10 and len(found.solutions[0].methods) >= 2


def test_lists_and_parameters():
    solvers = {entry["id"]: entry for entry in delassus.list_solvers()}
    omega = next(one for one in solvers["psor"]["parameters"] if one["name"] == "omega")
    assert omega["default"] == 1.3 and omega["unit"] == "-"
    assert {"pgs", "nncg", "block-gs", "auto"} <= set(solvers) and len(solvers) > 30
    for listed in (delassus.list_scenes, delassus.list_schemes, delassus.list_generators):
        assert all(entry["summary"] for entry in listed())


def test_the_package_is_typed():
    spec = importlib.util.find_spec("delassus")
    folder = spec.submodule_search_locations[0]
    assert (__import__("pathlib").Path(folder) / "py.typed").is_file()
