"""Tests of the Python side of peers; they need NumPy alone.

python3 -m unittest discover -s crates/peers/python/tests
DELASSUS=PROGRAM also compares the judge with the numbers that the program prints.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import delassus_limit  # noqa: E402
import dls_writer  # noqa: E402
import judge  # noqa: E402
import numpy as np  # noqa: E402
import run_peers  # noqa: E402
from delassus_peer import Answer, Problem, Request  # noqa: E402

ROOT = HERE.parents[3]
EXAMPLE = ROOT / "crates/peers/examples/my_pgs.py"
LAWS = "equality bounds frictionless fixed-box pyramid disc coulomb convex-cone patch"
NUMBERS = {"f8": "<f8", "u8": "<u8", "u4": "<u4", "u1": "|u1"}


def shipped():
    """The problems in data/, by name."""
    return {path.stem: Problem(path.read_bytes()) for path in sorted((ROOT / "data").glob("*.dls"))}


def matrix_problem(W, b, blocks, **more):
    """The bytes of a problem given by its matrix; blocks of (law, dim, two numbers)."""
    dims = [dim for _, dim, _ in blocks]
    ends, count = np.cumsum(dims), len(blocks)
    places = [(i, j) for i in range(count) for j in range(count)]
    parts = [slice(end - dim, end) for dim, end in zip(dims, ends)]
    arrays = {
        "blocks/dim": np.array(dims, "<u8"),
        "blocks/law": np.array([LAWS.split().index(law) for law, _, _ in blocks], "|u1"),
        "blocks/parameters": np.array([numbers for _, _, numbers in blocks], "<f8"),
        "blocks/levers": np.zeros(0), "blocks/feature": np.arange(count).astype("<u8"),
        "blocks/activity": np.zeros(count, "|u1"), "rows/bias": np.zeros(len(b)),
        "rows/compliance": np.zeros(len(b)), "matrix/free_velocity": np.array(b, "<f8"),
        "matrix/block_row": np.array([i for i, _ in places], "<u8"),
        "matrix/block_column": np.array([j for _, j in places], "<u8"),
        "matrix/values": np.concatenate([np.ravel(W[parts[i], parts[j]]) for i, j in places]),
        **more}
    text = {"format": "delassus-problem", "version": "1", "name": "test", "operator": "matrix",
            "provenance": "test_delassus_peer.py", "laws": LAWS}
    return dls_writer.pack(text, arrays)


class Reading(unittest.TestCase):
    def test_references_of_shipped_problems_are_solutions(self):
        judged = 0
        for name, problem in shipped().items():
            if problem.reference is None or {b.law for b in problem.blocks} - set(judge.LAWS):
                continue
            judged += 1
            self.assertLess(judge.natural_map(problem, problem.reference), 1e-12, name)
            moved = problem.reference + 1e-3 * np.abs(problem.reference).max()
            self.assertGreater(judge.natural_map(problem, moved), 1e-6, name)
        self.assertGreaterEqual(judged, 9)

    def test_matrix_of_the_text_file_is_that_of_bodies(self):
        words = (ROOT / "data/incline-fc3d.dat").read_text().split()
        size = 3 * int(words[1])
        numbers = np.array(words[7:7 + size * size + size], float)
        W, q = numbers[:size * size].reshape(size, size, order="F"), numbers[size * size:]
        problem = shipped()["incline"]
        np.testing.assert_allclose(problem.W, W, rtol=0, atol=1e-13 * np.abs(W).max())
        np.testing.assert_allclose(problem.b, q, rtol=0, atol=1e-14)
        self.assertTrue(problem.W.flags.f_contiguous)

    def test_checksum_of_shipped_files_is_met(self):
        for name, problem in shipped().items():
            checksum = dls_writer.checksum(problem.text, problem.arrays)
            self.assertEqual(checksum, problem.text["checksum"], name)

    def test_matrix_blocks_and_coupled_compliance_have_their_places(self):
        rng = np.random.default_rng(11)
        W = rng.normal(size=(6, 6))
        blocks = [("equality", 1, (0, 0)), ("coulomb", 3, (0.3, 0)), ("equality", 2, (0, 0))]
        more = {"coupled/block": np.array([1, 2], "<u8"),
                "coupled/compliance": np.array([0.1, 0.2, 0.3, 0.4]),
                "rows/compliance": np.arange(1.0, 7.0)}
        problem = Problem(matrix_problem(W, np.ones(6), blocks, **more))
        R = np.diag(np.arange(1.0, 7.0))
        for i, j, value in [(2, 1, 0.1), (3, 1, 0.2), (3, 2, 0.3), (5, 4, 0.4)]:
            R[i, j] = R[j, i] = value
        np.testing.assert_array_equal(problem.R, R)
        np.testing.assert_array_equal(problem.W, W + R)
        self.assertEqual([block.rows.start for block in problem.blocks], [0, 1, 4])

    def test_other_files_are_refused(self):
        whole = (ROOT / "data/ring.dls").read_bytes()
        for data in (b"", b"no file", whole[:100], b"\xff" * 64, whole[:8] + b"[" + whole[9:]):
            with self.assertRaises(ValueError):
                Problem(data)
        with self.assertRaises(ValueError):
            Problem(whole[:-40])


class Judging(unittest.TestCase):
    def test_one_row_has_the_residual_of_the_formula(self):
        a, b, x = 2.5, -0.75, 0.125
        problem = Problem(matrix_problem(np.array([[a]]), [b], [("bounds", 1, (0, np.inf))]))
        w = a * x + b  # still closing: the map is w/a, and E_s is b²/2a
        expected = np.sqrt(a) * abs(w / a) / (abs(b) / np.sqrt(a))
        self.assertAlmostEqual(judge.natural_map(problem, np.array([x])), expected, 14)
        self.assertLess(judge.natural_map(problem, np.array([-b / a])), 1e-15)

    def test_laws_have_their_own_solutions(self):
        # one contact of mass m on W = I/m that slides: closed forms of the laws
        m, mu, b = 1.7, 0.35, np.array([-0.6, 1.1, -0.8])
        along = b[1:] / np.linalg.norm(b[1:])
        normal = -b[0] * m
        coulomb = np.append(normal, -mu * normal * along)
        box = np.append(normal, -np.sign(b[1:]) * mu * normal)
        # the projection of −m b on the cone (P.9)
        n = m * (-b[0] + mu * np.linalg.norm(b[1:])) / (1 + mu ** 2)
        cone = np.append(n, -mu * n * along)
        solutions = {"coulomb": coulomb, "disc": coulomb, "pyramid": box, "convex-cone": cone,
                     "frictionless": np.array([normal, 0, 0])}
        for law, own in solutions.items():
            data = matrix_problem(np.eye(3) / m, b, [(law, 3, (mu, 0))])
            for other, impulses in solutions.items():
                residual = judge.natural_map(Problem(data), impulses)
                same = np.allclose(impulses, own)
                (self.assertLess if same else self.assertGreater)(residual, 1e-14 if same else 1e-2)

    def test_documentation_shows_this_judge(self):
        page = (ROOT / "docs/quantities.md").read_text()
        source = (HERE.parent / "judge.py").read_text()
        start, end = source.index("def project"), source.index("\n\nLAWS")
        self.assertIn(source[start:end].strip(), page)

    @unittest.skipUnless("DELASSUS" in os.environ, "DELASSUS names no program")
    def test_numbers_are_those_of_the_program(self):
        files = [str(path) for path in sorted((ROOT / "data").glob("*.dls"))]
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run(
                [os.environ["DELASSUS"], "solve", *files, "--solver", "pgs", "--max-sweeps", "3",
                 "--tol", "1e-14", "--json", "--save", folder], capture_output=True, text=True)
            compared = 0
            for line in made.stdout.splitlines():
                line = json.loads(line)
                problem = Problem(pathlib.Path(line["file"]).read_bytes())
                if {block.law for block in problem.blocks} - set(judge.LAWS):
                    continue
                saved = pathlib.Path(folder) / (pathlib.Path(line["file"]).stem + ".csv")
                impulses = np.loadtxt(saved, delimiter=",", skiprows=1, ndmin=2)[:, 1]
                printed = line["residuals"]["natural_map"]
                own = judge.natural_map(problem, impulses)
                self.assertLess(abs(own - printed), 1e-10 * printed + 1e-14, line["file"])
                compared += 1
        self.assertGreaterEqual(compared, 10, made.stderr)


class Limiting(unittest.TestCase):
    """A solver without a time limit, which takes 0.1 ms for an iteration."""

    def run_with(self, needed, **limits):
        counts = []

        def solve(_, request):
            counts.append(request.max_iterations)
            done = min(needed, request.max_iterations)
            time.sleep(1e-4 * done)
            request.start[:] += 1  # a start may be overwritten
            return Answer(request.start, "converged" if done == needed else "limit", done)

        request = Request(0.0, limits["iterations"], limits["seconds"], np.zeros(1), {})
        return delassus_limit.timed(solve)(None, request), counts

    def test_a_short_solve_runs_once(self):
        answer, counts = self.run_with(50, iterations=1000, seconds=9.0)
        self.assertEqual((answer.claimed, answer.iterations, counts), ("converged", 50, [64]))

    def test_a_longer_one_runs_from_its_start(self):
        answer, counts = self.run_with(300, iterations=500, seconds=60.0)
        self.assertEqual((answer.claimed, counts), ("converged", [64, 256, 500]))
        self.assertEqual(answer.impulses[0], 1.0)

    def test_limits_are_kept(self):
        answer, counts = self.run_with(10 ** 6, iterations=100, seconds=60.0)
        self.assertEqual((answer.claimed, counts), ("limit", [64, 100]))
        answer, _ = self.run_with(10 ** 6, iterations=2 ** 31 - 1, seconds=0.2)
        self.assertEqual(answer.claimed, "time")
        self.assertGreaterEqual(answer.iterations, 64)


class Serving(unittest.TestCase):
    def start(self, script):
        peer = run_peers.Peer([sys.executable, str(script)])
        self.addCleanup(peer.close)
        return peer

    def solve(self, peer, data, iterations=1000, **more):
        answer, _ = peer.ask(op="prepare", solver="pgs", parameters={}, data=data)
        self.assertEqual(answer, {"id": peer.count})
        request = {"tolerance": 0.0, "max_seconds": 20.0, "start": "cold", **more}
        return peer.ask(op="solve", max_iterations=iterations, **request)

    def test_example_solves_shipped_problems(self):
        peer, problems = self.start(EXAMPLE), shipped()
        sweeps = {"chain-10": 1000, "incline": 100, "joint-grid-4": 100, "stack-5-soft": 400,
                  "painleve-impact": 100}
        for name, count in sweeps.items():
            data = (ROOT / f"data/{name}.dls").read_bytes()
            answer, impulses = self.solve(peer, data, count)
            self.assertIn(answer["claimed"], ("limit", "converged"))
            self.assertLess(judge.natural_map(problems[name], impulses), 1e-11, name)
            self.assertGreaterEqual(answer["solve_s"], 0)

    def test_a_given_start_is_used(self):
        peer, data = self.start(EXAMPLE), (ROOT / "data/stack-5.dls").read_bytes()
        problem, numbers = Problem(data), np.random.default_rng(3)
        peer.ask(op="prepare", solver="pgs", parameters={}, data=data)
        for start, largest in [(problem.reference, 1e-12), (numbers.uniform(size=60), np.inf)]:
            answer, impulses = peer.ask(op="solve", tolerance=1e-9, max_iterations=1, start="given",
                                        max_seconds=9.0, data=start.tobytes(), array="start")
            self.assertEqual(answer["claimed"] == "converged", largest < 1)
            self.assertLess(judge.natural_map(problem, impulses), largest)

    def test_peer_of_the_readme_solves_joints(self):
        page = (ROOT / "crates/peers/README.md").read_text()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "lstsq.py"
            path.write_text(page.split("```python\n")[1].split("```")[0])
            peer = self.start(path)
            for name in ("chain-10", "joint-grid-4"):
                data = (ROOT / f"data/{name}.dls").read_bytes()
                peer.ask(op="prepare", solver="lstsq", parameters={}, data=data)
                _, impulses = peer.ask(op="solve", tolerance=0.0, max_iterations=1,
                                       max_seconds=9.0, start="cold")
                self.assertLess(judge.natural_map(Problem(data), impulses), 1e-13, name)

    def test_stick_slide_and_open_have_their_closed_forms(self):
        peer = self.start(EXAMPLE)
        m, mu = 0.8, 0.45
        for b, expected in [((-1.0, 0.2, -0.3), (0.8, -0.16, 0.24)),  # inside the cone: w = 0
                            ((0.4, 1.0, 0.0), (0, 0, 0)),
                            ((-1.0, 3.0, 4.0), (0.8, -0.216, -0.288))]:
            data = matrix_problem(np.eye(3) / m, b, [("coulomb", 3, (mu, 0))])
            _, impulses = self.solve(peer, data)
            np.testing.assert_allclose(impulses, expected, atol=1e-15)

    def test_a_solve_carries_nothing_over(self):
        peer, data = self.start(EXAMPLE), (ROOT / "data/stack-5.dls").read_bytes()
        _, first = self.solve(peer, data, 7)
        self.solve(peer, data, 50)
        _, again = self.solve(peer, data, 7)
        self.assertEqual(first.tobytes(), again.tobytes())
        answer, _ = self.solve(peer, data, 1)
        self.assertEqual(answer["claimed"], "limit")

    def test_what_is_not_supported_is_said_and_the_peer_goes_on(self):
        peer = self.start(EXAMPLE)
        ring, wall = ((ROOT / f"data/{name}.dls").read_bytes() for name in ("ring", "wall-4-patch"))
        held = matrix_problem(np.eye(1), [1.0], [("equality", 1, (0, 0))],
                              **{"blocks/activity": np.array([2], "|u1")})
        for data, words in [(wall, "patch"), (ring, "frictionless"), (held, "not solved for")]:
            answer, _ = peer.ask(op="prepare", solver="pgs", parameters={}, data=data)
            self.assertEqual(answer["claimed"], "unsupported")
            self.assertIn(words, answer["message"])
            answer, impulses = peer.ask(op="solve", tolerance=0.0, max_iterations=1,
                                        max_seconds=1.0, start="cold")
            self.assertIn("error", answer)  # nothing is prepared
            self.assertIsNone(impulses)
        stack = (ROOT / "data/stack-5.dls").read_bytes()
        for request, words in [
                ({"op": "prepare", "parameters": {"omega": 1.5}, "data": stack}, "omega"),
                ({"op": "prepare", "parameters": {}, "data": b"no file"}, ".dls"),
                ({"op": "dance"}, "unsupported op")]:
            answer, _ = peer.ask(solver="pgs", **request)
            self.assertIn(words, answer["error"])
            self.assertEqual(answer["id"], peer.count)
        answer, _ = self.solve(peer, stack, 2)
        self.assertEqual(answer["iterations"], 2)

    def test_prints_and_numbers_that_are_not_finite_do_not_break_frames(self):
        script = '''
from delassus_peer import Answer, Solver, serve
import os
os.write(1, b"a library prints")
def solve(problem, request):
    print("and prints")
    size = request.parameters["omega"]
    return Answer(problem.b * size, "limit", 1, {"a": float("inf"), "b": size}, 0.25, "words")
serve("loud", "0", [Solver("pgs", solve, {"coulomb": "something else"}, "none", "-",
                           parameters={"omega": (1.5, "Relaxation.")})])
'''
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "loud.py"
            path.write_text(script)
            peer = self.start(path)
            solver = peer.hello["solvers"][0]
            self.assertEqual(solver["laws"], {"coulomb": "something else"})
            self.assertEqual(solver["parameters"],
                             [{"name": "omega", "default": 1.5, "text": "Relaxation."}])
            data = (ROOT / "data/stack-5.dls").read_bytes()
            peer.ask(op="prepare", solver="pgs", parameters={"omega": -3.0}, data=data)
            answer, impulses = peer.ask(op="solve", tolerance=0.0, max_iterations=1,
                                        max_seconds=1.0, start="cold")
            np.testing.assert_array_equal(impulses, -3.0 * Problem(data).b)
            self.assertEqual(answer["residuals"], {"a": None, "b": -3.0})
            self.assertEqual((answer["clock"], answer["solve_s"]), ("wall", 0.25))

    def test_peer_files_name_what_they_hold(self):
        about = sorted((ROOT / "crates/peers").glob("*/peer.toml"))
        self.assertGreaterEqual(len(about), 8)
        for path in about:
            entry = run_peers.tomllib.loads(path.read_text())
            self.assertEqual(entry["name"], path.parent.name)
            source = (path.parent / entry["command"][1]).read_text()
            # the helper keeps stdout before any library can print
            lines = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
            first = [line for line in lines if "collections" not in line][0]
            self.assertIn("from delassus_peer import", first, path)
            self.assertTrue((path.parent / "README.md").exists(), path)


if __name__ == "__main__":
    unittest.main()
