"""The program, the examples, and the examples of the documentation."""

import doctest
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import delassus

FOLDER = Path(__file__).parent.parent
DOCS = FOLDER.parent.parent / "docs"
PAGES = [
    FOLDER / "README.md",
    DOCS / "python.md",
    *(DOCS / "python" / f"{name}.md" for name in ("own-solver", "worlds", "experiments")),
]


def program(*words, **options):
    command = [sys.executable, "-m", "delassus", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


def test_the_program_has_its_exit_codes():
    assert program("--version").stdout.split() == ["delassus", delassus.__version__]
    assert "pgs" in program("list", "solvers", "pgs").stdout
    wrong = program("list", "solver-s")
    assert wrong.returncode == 2 and wrong.stderr.startswith("error:")


def test_the_program_solves_a_file_that_python_wrote(tmp_path):
    problem = delassus.Problem.from_arrays(A=[[2.0, 1.0], [1.0, 2.0]], b=[-5.0, -6.0])
    problem.save(tmp_path / "lcp.dls")
    said = program("solve", str(tmp_path / "lcp.dls"), "--solver", "pgs", "--json")
    assert said.returncode == 0, said.stderr
    assert "solved" in json.dumps(json.loads(said.stdout))


def test_cells_run_in_processes_of_their_own(tmp_path):
    # each starts this interpreter again, and the package in it
    spec = (
        'title = "Cells"\nquestion = "Do processes of cells load the package?"\n'
        '[[problem]]\nname = "chain"\nuse = "chain"\nn = [3]\n'
        '[[solver]]\nuse = "pgs"\n'
    )
    (tmp_path / "experiment.toml").write_text(spec)
    said = program("run", "experiment.toml", "--isolate", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    assert list(tmp_path.glob("**/cells/*"))


@pytest.mark.parametrize(
    "name", ["_problem", "_solve", "_lists", "_compare", "_world", "_figures", "_results"]
)
def test_examples_of_the_docstrings(name):
    module = importlib.import_module(f"delassus.{name}")
    names = {**vars(delassus), "np": importlib.import_module("numpy")}
    found = doctest.testmod(module, extraglobs=names)
    assert found.failed == 0 and found.attempted > 0


def test_the_example_of_the_package():
    assert doctest.testmod(delassus).failed == 0


@pytest.mark.parametrize("name", ["ten_lines", "environment"])
def test_examples_run(name, tmp_path):
    if name == "environment":
        pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    command = [sys.executable, str(FOLDER / "examples" / f"{name}.py")]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert said.returncode == 0, said.stderr
    if name == "ten_lines":
        assert "<svg" in (tmp_path / "comparison.svg").read_text(encoding="utf-8")
    else:
        assert "stood for 240 frames" in said.stdout


def test_the_environment_keeps_the_interface_of_gymnasium(monkeypatch):
    checker = pytest.importorskip(
        "gymnasium.utils.env_checker", reason="gymnasium is not installed"
    )
    monkeypatch.syspath_prepend(str(FOLDER / "examples"))
    cart_pole = importlib.import_module("environment").CartPole()
    checker.check_env(cart_pole, skip_render_check=True)
    seen, _ = cart_pole.reset(seed=3)
    # a pole that nobody holds falls
    ended = False
    for _ in range(600):
        seen, reward, ended, cut, _ = cart_pole.step([0.0])
        if ended or cut:
            break
    assert ended and reward == 0.0 and abs(seen[2]) > 0.2


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_programs_of_the_pages_run(page, tmp_path, monkeypatch):
    if not page.is_file():
        pytest.skip(f"{page.name} is not in this copy of the package")
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)
