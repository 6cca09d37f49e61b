"""Arguments as arrays of the native module, and libraries that need not be there."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from delassus._native import DelassusError

Floats: TypeAlias = NDArray[np.float64]
PathLike: TypeAlias = "str | os.PathLike[str]"
Triplets: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.int64], Floats, tuple[int, int]]"


def vector(name: str, values: ArrayLike) -> Floats:
    """Return a contiguous vector of floats; no copy where it is one already."""
    array = _floats(name, values)
    if array.ndim != 1:
        raise DelassusError(f"{name} has {array.ndim} dimensions: give a vector")
    return array


def flat(name: str, values: ArrayLike) -> Floats:
    """Return all numbers, row by row."""
    return _floats(name, values).reshape(-1)


def triple(name: str, values: Sequence[float] | Floats) -> tuple[float, float, float]:
    """Return three numbers."""
    x = vector(name, values)
    if x.shape != (3,):
        raise DelassusError(f"{name} has {x.size} numbers, and 3 are needed")
    return float(x[0]), float(x[1]), float(x[2])


def quaternion(name: str, values: Sequence[float] | Floats) -> tuple[float, float, float, float]:
    """Return four numbers."""
    x = vector(name, values)
    if x.shape != (4,):
        raise DelassusError(f"{name} has {x.size} numbers, and 4 are needed (x, y, z, w)")
    return float(x[0]), float(x[1]), float(x[2]), float(x[3])


def triplets(name: str, matrix: Any) -> Triplets:
    """Return rows, columns and values of a dense matrix or of a sparse one of SciPy."""
    if hasattr(matrix, "tocoo"):
        coo = matrix.tocoo()
        rows, columns, values = coo.row, coo.col, coo.data
        shape = (int(coo.shape[0]), int(coo.shape[1]))
    else:
        dense = _floats(name, matrix)
        if dense.ndim != 2:
            raise DelassusError(f"{name} has {dense.ndim} dimensions: give a matrix")
        # a NaN is not zero, so it is passed on and refused
        rows, columns = np.nonzero(dense)
        values = dense[rows, columns]
        shape = (dense.shape[0], dense.shape[1])
    return (
        np.ascontiguousarray(rows, dtype=np.int64),
        np.ascontiguousarray(columns, dtype=np.int64),
        _floats(name, values),
        shape,
    )


def _floats(name: str, values: Any) -> Floats:
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "fiub":
            raise TypeError(f"numbers of the type {array.dtype}")
        return np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
    except (TypeError, ValueError) as error:
        raise DelassusError(f"{name} is no array of real numbers: {error}") from None


def module(name: str, package: str | None = None) -> Any:
    """Import what is not installed with this package, or say how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        missing = package or name
        raise DelassusError(f"{missing} is not installed: pip install {missing}") from None
