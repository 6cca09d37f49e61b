"""Experiments: specs that are run, and their results as data frames and figures."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from delassus._arrays import PathLike
from delassus._figures import Figure
from delassus._native import DelassusError


def program(*words: str | PathLike) -> str:
    """Run the program `delassus` and return what it writes on standard output.

    >>> program("--version").startswith("delassus ")
    True

    Raises `DelassusError` with its message if its exit code is not 0.
    """
    command = [sys.executable, "-m", "delassus", *(os.fspath(word) for word in words)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        said = done.stderr.strip().removeprefix("error: ")
        raise DelassusError(said or f"delassus ended with the exit code {done.returncode}")
    return done.stdout


def run(spec: PathLike, out: PathLike | None = None, *, options: Sequence[str] = ()) -> Results:
    """Run an experiment and return its results; finished cells are kept.

    `spec` is a TOML file, or the folder of an experiment.toml. `out` is the folder of the results;
    without it `results/NAME`. `options` are those of `delassus run`.
    """
    words = ["run", os.fspath(spec), "--quiet", *options]
    if out is not None:
        words += ["--out", os.fspath(out)]
    report = program(*words).splitlines()[0].strip()
    return Results(Path(report).parent)


class Results:
    """The results folder of an experiment: data frames of its records, and its figures."""

    def __init__(self, folder: PathLike) -> None:
        """Open a results folder that `run` or `delassus run` has made."""
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise DelassusError(f"{self.folder}: there is no such folder")
        self._tables: tempfile.TemporaryDirectory[str] | None = None

    def parquet(self, table: str = "summary") -> Path:
        """Write the tables as Parquet files into a temporary folder; return the path of one.

        `summary` has a row per cell, `records` one per sample; `solutions` exists where a solver
        looks for all of them. The files exist as long as this object.
        """
        if self._tables is None:
            folder = tempfile.TemporaryDirectory(prefix="delassus-")
            program("data", self.folder, "--out", folder.name)
            self._tables = folder
        path = Path(self._tables.name) / f"{table}.parquet"
        if not path.is_file():
            known = ", ".join(sorted(file.stem for file in path.parent.iterdir()))
            raise DelassusError(f"there is no table {table!r}; there are {known}")
        return path

    def to_polars(self, table: str = "summary") -> Any:
        """Return a table as a frame of polars."""
        return module("polars").read_parquet(self.parquet(table))

    def to_pandas(self, table: str = "summary") -> Any:
        """Return a table as a frame of pandas; needs pyarrow."""
        module("pyarrow")
        return module("pandas").read_parquet(self.parquet(table))

    def to_arrow(self, table: str = "summary") -> Any:
        """Return a table of Arrow; needs pyarrow. `polars.from_arrow` takes it without a copy."""
        return module("pyarrow.parquet", "pyarrow").read_table(self.parquet(table))

    def figure(self, name: str | None = None, **settings: Any) -> Figure:
        """Draw a figure of the spec by its id, or a kind of figure; `settings` are its settings.

        Without a name: residuals, or what was observed over time.
        """
        words = [] if name is None else [name]
        for key, value in settings.items():
            words += ["--set", f"{key}={_setting(value)}"]
        return Figure(program("plot", self.folder, *words))

    def __repr__(self) -> str:
        """The folder."""
        return f"<Results {self.folder}>"


def _setting(value: Any) -> str:
    if isinstance(value, bool | list | tuple):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def module(name: str, package: str | None = None) -> Any:
    """Import what is not installed with this package, or say how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        missing = package or name
        raise DelassusError(f"{missing} is not installed: pip install {missing}") from None
