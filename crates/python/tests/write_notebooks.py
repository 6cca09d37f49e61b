"""Writes the notebooks: each .ipynb from the Python file with cells (`# %%`) of the same name.

    python crates/python/tests/write_notebooks.py

The Python files are the source, which a review, ruff and mypy read; a notebook has no outputs.
"""

import json
import re
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "notebooks"


def notebook(source):
    """Return the content of the notebook with the cells of a Python file."""
    parts = re.split(r"^# %%(.*)\n", source, flags=re.MULTILINE)
    # what stands in front of the first cell is no cell
    cells = [
        cell(number, kind.strip() == "[markdown]", text.strip("\n"))
        for number, (kind, text) in enumerate(zip(parts[1::2], parts[2::2], strict=True), 1)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def cell(number, is_text, source):
    """Return a cell; the lines of text are comments in the Python file."""
    if is_text:
        source = re.sub(r"^# ?", "", source, flags=re.MULTILINE)
    lines = source.splitlines(keepends=True)
    common = {"id": f"cell-{number}", "metadata": {}, "source": lines}
    if is_text:
        return {"cell_type": "markdown", **common}
    return {"cell_type": "code", "execution_count": None, "outputs": [], **common}


if __name__ == "__main__":
    for file in sorted(FOLDER.glob("*.py")):
        made = notebook(file.read_text(encoding="utf-8"))
        file.with_suffix(".ipynb").write_text(made, encoding="utf-8")
        print(file.with_suffix(".ipynb").name)
