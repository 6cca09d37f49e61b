"""Specs that are run from Python: solvers of Python in them, data frames, figures, replays."""

import importlib.util
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import delassus
from delassus import DelassusError, Problem, World, replay, solve

EXAMPLES = Path(__file__).parent.parent / "examples"
SPEC = """
title = "Own solver"
question = "Does a solver of Python take part in an experiment?"
[[problem]]
name = "chain"
use = "chain"
n = [3, 5]
[[solver]]
use = "py:gauss_seidel:BlockDescent"
[[solver]]
use = "pgs"
"""


def installed(name):
    return importlib.util.find_spec(name) is not None


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(EXAMPLES / "gauss_seidel.py", tmp_path)
    (tmp_path / "own.toml").write_text(SPEC)
    return delassus.run("own.toml", "out")


def test_a_solver_of_python_takes_part_in_an_experiment(results):
    csv = (results.folder / "summary.csv").read_text(encoding="utf-8")
    assert csv.count("py:gauss_seidel:BlockDescent") >= 2
    assert csv.count(",solved,") == 4 and "sha256:" in csv
    # a changed solver has new cells, an unchanged one keeps them
    before = {cell.name for cell in (results.folder / "cells").glob("*.json")}
    delassus.run("own.toml", "out")
    assert {cell.name for cell in (results.folder / "cells").glob("*.json")} == before
    with open("gauss_seidel.py", "a") as file:
        file.write("# changed\n")
    delassus.run("own.toml", "out")
    now = {cell.name for cell in (results.folder / "cells").glob("*.json")}
    assert len(now - before) == 2


def test_results_are_frames_and_figures(results):
    summary, records = results.table(), results.table("records")
    assert len(summary) == 4 and len(records) > 4
    assert "solver_id" in summary.columns and "natural_map" in records.columns
    for table, columns in (("summary", summary.columns), ("records", records.columns)):
        if installed("polars"):
            frame = results.to_polars(table)
            assert frame.columns == columns and len(frame) == len(results.table(table))
    if installed("pyarrow"):
        arrow = results.to_arrow()
        assert set(arrow["status"].to_pylist()) == {"solved"}
        assert arrow.schema.metadata == {b"delassus.schema": b"summary/1"}
        if installed("pandas"):
            for backend in ("numpy", "pyarrow"):
                frame = results.to_pandas(dtype_backend=backend)
                assert frame["status"].tolist() == ["solved"] * 4
                assert frame["sweeps"].tolist() == arrow["sweeps"].to_pylist()
            with pytest.raises(DelassusError, match="dtype_backend"):
                results.to_pandas(dtype_backend="arrow")
    else:
        with pytest.raises(DelassusError, match="pip install pyarrow"):
            results.to_arrow()
    figure = results.figure("convergence", x="sweeps", problems=["chain"])
    assert ElementTree.fromstring(figure.svg).tag.endswith("svg")
    assert figure._repr_svg_() == figure.svg
    with pytest.raises(DelassusError, match="there is no table 'solved'; there are records"):
        results.table("solved")
    with pytest.raises(DelassusError, match="did you mean"):
        results.figure("convergense")


def test_tables_hold_what_the_program_writes(results):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    delassus.program("data", results.folder, "--out", "tables")
    for name in ("summary", "records"):
        written = parquet.read_table(f"tables/{name}.parquet")
        mine = results.to_arrow(name)
        assert mine.column_names == written.column_names
        for column in written.column_names:
            assert mine[column].to_pylist() == written[column].to_pylist(), column


def test_frames_share_the_memory_of_the_records(results):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    table = results.table("records")
    first = results.to_arrow("records")

    def places(arrow):
        # the values of every column, behind the bits of its gaps
        return {name: arrow[name].chunk(0).buffers()[1].address for name in arrow.column_names}

    # two exports, by stream and by array, have one address: neither has made a copy
    assert places(first) == places(pyarrow.table(table))
    batch = pyarrow.record_batch(table)
    assert places(first) == places(pyarrow.Table.from_batches([batch]))
    numbers = [name for name in first.column_names if first[name].type == pyarrow.float64()]
    assert "natural_map" in numbers
    if installed("polars"):
        frame = results.to_polars("records")
        for name in numbers:
            assert frame[name].to_arrow().buffers()[1].address == places(first)[name], name
    if installed("pandas"):
        frame = results.to_pandas("records", dtype_backend="pyarrow")
        for name in first.column_names:
            (chunk,) = frame[name].array.__arrow_array__().chunks
            assert chunk.buffers()[1].address == places(first)[name], name
    # the memory stays while a frame needs it
    expected = first["natural_map"].to_pylist()
    kept = pyarrow.table(table)
    results._tables = None
    del table, first
    assert kept["natural_map"].to_pylist() == expected


def test_the_class_itself_and_its_name_give_equal_bits(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.chdir(EXAMPLES)
    gauss_seidel = importlib.import_module("gauss_seidel")
    problem = Problem.generate("planted", bodies=4, coulomb=0, disc=3, seed=7)
    here = solve(problem, gauss_seidel.BlockDescent, tol=1e-6)
    there = solve(problem, "py:gauss_seidel:BlockDescent", tol=1e-6)
    assert there.sweeps == here.sweeps and there.solved
    assert there.impulses.tobytes() == here.impulses.tobytes()


def test_the_protocol_is_kept(monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    said = delassus.program("check-peer", "py:gauss_seidel:BlockDescent")
    cases = dict(re.findall(r"^(\S+)\s+(pass|fail|does not apply)", said, re.MULTILINE))
    assert "fail" not in cases.values(), said
    command = [sys.executable, "-m", "delassus.peer", "gauss_seidel"]
    wrong = subprocess.run(command, capture_output=True, text=True)
    assert wrong.returncode != 0 and "MODULE:NAME" in wrong.stderr
    with pytest.raises(DelassusError, match="gauss_seidel:Missing"):
        solve(Problem.generate("planted", seed=1), "py:gauss_seidel:Missing")


OVER_TIME = """
title = "Own solver over time"
question = "Does a solver of Python drive a scheme?"
[[scene]]
name = "stack"
use = "stack"
n = 2
law = "disc"
[[scheme]]
use = "velocity"
[[solver]]
use = "py:gauss_seidel:BlockDescent"
[[solver]]
use = "pgs"
[simulate]
seconds = 0.1
observables = ["penetration_max", "solve_residual"]
"""


def test_a_solver_of_python_drives_a_scheme_of_a_spec(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(EXAMPLES / "gauss_seidel.py", tmp_path)
    (tmp_path / "time.toml").write_text(OVER_TIME)
    results = delassus.run("time.toml", "out")
    csv = (results.folder / "summary.csv").read_text(encoding="utf-8")
    assert csv.count("py:gauss_seidel:BlockDescent") >= 1
    assert csv.count(",ended,") == 2, csv
    report = (results.folder / "report.html").read_text(encoding="utf-8")
    assert "py:gauss_seidel:BlockDescent" in report


def test_what_is_recorded_plays(tmp_path):
    worlds = {"pgs": World.scene("vertical-stack", n=3), "block-gs": World(solver="block-gs")}
    worlds["block-gs"].body([0.0, 1.0, 0.0], mass=1.0, shape=("sphere", 0.2))
    for world in worlds.values():
        world.record(every=2)
        world.step(20)
    page = replay(worlds, title="a stack & a ball")
    page.save(tmp_path / "replay.html")
    assert (tmp_path / "replay.html").read_text(encoding="utf-8") == page.page
    assert "a stack &amp; a ball" in page.page and page.page.count('class="cell"') == 2
    shown = page._repr_html_()
    assert shown.startswith("<iframe") and shown.count("<") == 2
    with pytest.raises(DelassusError, match="the world fresh is not recorded"):
        replay({"fresh": World()})
    with pytest.raises(DelassusError, match="add bodies before"):
        worlds["pgs"].body()
    with pytest.raises(DelassusError, match="every = 0"):
        worlds["pgs"].record(0)


def test_errors_of_the_program_are_exceptions(tmp_path):
    with pytest.raises(DelassusError, match=r"nothing\.toml"):
        delassus.run(tmp_path / "nothing.toml")
    with pytest.raises(DelassusError, match="no such folder"):
        delassus.Results(tmp_path / "nothing")


def test_the_style_sheet_is_one_of_matplotlib():
    plt = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")
    with plt.style.context("delassus.figures"):
        colours = plt.rcParams["axes.prop_cycle"].by_key()["color"]
        assert colours[0].lower().strip("#") == "0072b2" and len(colours) == 7
