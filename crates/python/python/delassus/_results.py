"""Experiments: specs that are run, and their results as data frames and figures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from delassus._arrays import PathLike, module
from delassus._figures import Figure
from delassus._native import DelassusError, NativeTable


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


class Table:
    """Records as columns in the memory layout of Arrow; it never changes.

    Every library that reads Arrow takes a table, without a copy: `pyarrow.table(table)`,
    `polars.DataFrame(table)`, `pandas.DataFrame.from_arrow(table)`. The memory lives as long as the
    last of them.
    """

    _native: NativeTable

    def __init__(self, native: NativeTable) -> None:
        """Take over a native table; users call `Results.table`."""
        self._native = native

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._native.columns

    def __len__(self) -> int:
        """Number of rows."""
        return self._native.rows

    def to_arrow(self) -> Any:
        """Return a table of pyarrow in the same memory."""
        return module("pyarrow").table(self)

    def to_polars(self) -> Any:
        """Return a frame of polars; numbers keep their memory, texts get the views of polars."""
        return module("polars").DataFrame(self)

    def to_pandas(self, *, dtype_backend: str = "numpy") -> Any:
        """Return a frame of pandas; needs pyarrow.

        `numpy` has pandas' own types and copies. `pyarrow` has columns of Arrow, in the same
        memory.
        """
        if dtype_backend not in ("numpy", "pyarrow"):
            raise DelassusError(f'dtype_backend = {dtype_backend!r}: "numpy" or "pyarrow"')
        table, pandas = self.to_arrow(), module("pandas")
        types = pandas.ArrowDtype if dtype_backend == "pyarrow" else None
        return table.to_pandas(types_mapper=types)

    def __arrow_c_schema__(self) -> object:
        """Export the types of the columns (Arrow C data interface)."""
        return self._native.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Export the table as one array of structures (Arrow C data interface)."""
        return self._native.__arrow_c_array__(requested_schema)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export the table as a stream of one batch (Arrow C stream interface)."""
        return self._native.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        """Number of rows and columns."""
        return f"<Table: {len(self)} rows, {len(self.columns)} columns>"


class Results:
    """The results folder of an experiment: tables of its records, and its figures."""

    def __init__(self, folder: PathLike) -> None:
        """Open a results folder that `run` or `delassus run` has made."""
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise DelassusError(f"{self.folder}: there is no such folder")
        self._tables: dict[str, Table] | None = None

    def table(self, name: str = "summary") -> Table:
        """Read a table, once per object of this class.

        `summary` has a row per cell, `records` one per sample; `solutions` exists where a solver
        looks for all of them, and `worlds`, with a row per world, where a problem is worlds of one
        structure.
        """
        if self._tables is None:
            read = NativeTable.read(os.fspath(self.folder))
            self._tables = {name: Table(native) for name, native in read}
        if name not in self._tables:
            known = ", ".join(sorted(self._tables))
            raise DelassusError(f"there is no table {name!r}; there are {known}")
        return self._tables[name]

    def to_polars(self, table: str = "summary") -> Any:
        """Return a table as a frame of polars, as `Table.to_polars` does."""
        return self.table(table).to_polars()

    def to_pandas(self, table: str = "summary", *, dtype_backend: str = "numpy") -> Any:
        """Return a table as a frame of pandas, as `Table.to_pandas` does."""
        return self.table(table).to_pandas(dtype_backend=dtype_backend)

    def to_arrow(self, table: str = "summary") -> Any:
        """Return a table of pyarrow, as `Table.to_arrow` does."""
        return self.table(table).to_arrow()

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
