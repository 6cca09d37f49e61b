"""What there is by name."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from delassus import _native

Entries: TypeAlias = list[dict[str, Any]]


def _listed(kind: str) -> Entries:
    found: Entries = json.loads(_native.listed(kind))
    return found


def list_solvers() -> Entries:
    """List every solver: id, summary, papers, laws, and parameters with their defaults.

    >>> [entry["id"] for entry in list_solvers()][0]
    'pgs'
    """
    return _listed("solvers")


def list_schemes() -> Entries:
    """List every scheme and preset; `uses_solver` says whether it takes one.

    >>> "soft-step" in [entry["id"] for entry in list_schemes()]
    True
    """
    return _listed("schemes")


def list_scenes() -> Entries:
    """List every scene with its parameters."""
    return _listed("scenes")


def list_generators() -> Entries:
    """List every generator of problems with its parameters."""
    return _listed("generators")


def list_metrics() -> Entries:
    """List every residual: id, formula, unit and equation.

    >>> [entry["id"] for entry in list_metrics()][0]
    'natural_map'
    """
    return _listed("metrics")


def list_laws() -> Entries:
    """List every law: id, formula, equation and rows.

    >>> [entry["id"] for entry in list_laws()][:2]
    ['equality', 'bounds']
    """
    return _listed("laws")
