"""The notebooks are those of their Python files, and run without a display."""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest
from write_notebooks import FOLDER, notebook

SOURCES = sorted(FOLDER.glob("*.py"))
# what each notebook shows beside text
SHOWN = {
    "1_own_solver": "image/svg+xml",
    "2_soft_constraints": "image/png",
    "3_from_a_bad_frame": "text/html",
    "4_certified_reference": None,
}


@pytest.mark.parametrize("source", SOURCES, ids=lambda file: file.stem)
def test_notebooks_have_the_cells_of_their_python_files(source):
    made = notebook(source.read_text(encoding="utf-8"))
    there = source.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert there == made, "python crates/python/tests/write_notebooks.py writes the notebooks"


def test_cells_are_text_or_code():
    made = json.loads(notebook("# %% [markdown]\n# # A title\n#\n# Text.\n\n# %%\nx = 1\nx\n"))
    text, code = made["cells"]
    assert text["cell_type"] == "markdown"
    assert text["source"] == ["# A title\n", "\n", "Text."]
    assert code["cell_type"] == "code" and code["source"] == ["x = 1\n", "x"]
    assert code["outputs"] == []


def needs(source):
    for name in re.findall(r"^import (sympy|matplotlib)", source.read_text(), re.MULTILINE):
        pytest.importorskip(name, reason=f"{name} is not installed")


@pytest.mark.parametrize("source", SOURCES, ids=lambda file: file.stem)
def test_notebooks_run_without_a_display(source, tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    needs(source)
    monkeypatch.delenv("DISPLAY", raising=False)
    found = nbformat.read(source.with_suffix(".ipynb"), as_version=4)
    nbformat.validate(found)
    folder = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(found, timeout=600, kernel_name="python3", resources=folder).execute()
    outputs = [output for cell in found.cells for output in cell.get("outputs", [])]
    assert any(output.output_type == "stream" for output in outputs)
    shown = {kind for output in outputs for kind in output.get("data", {})}
    expected = SHOWN[source.stem]
    assert expected is None or expected in shown


@pytest.mark.parametrize("source", SOURCES, ids=lambda file: file.stem)
def test_their_python_files_run_as_programs(source, tmp_path):
    if find_spec("nbclient") and find_spec("ipykernel"):
        pytest.skip("the notebooks themselves run")
    needs(source)
    environment = {**os.environ, "MPLBACKEND": "Agg", "DISPLAY": ""}
    said = subprocess.run(
        [sys.executable, str(source)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert said.returncode == 0, said.stderr
    assert said.stdout
