"""A solver in Python as a program that Delassus starts: `python -m delassus.peer MODULE:NAME`.

Specs and the command line name it `py:MODULE:NAME`. The module is found from the current folder.
The protocol is that of docs/peers.md.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from delassus import _native
from delassus._lists import list_laws
from delassus._own import AnySolver, Declaration, declare, maker

_LARGEST = 2**31 - 1
_BYTES = {"f64": 8, "f32": 4, "u64": 8, "u32": 4, "u8": 1}
Message = dict[str, Any]


def find(name: str) -> AnySolver:
    """Import the class or function that `MODULE:NAME` names."""
    module, _, path = name.partition(":")
    found: Any = importlib.import_module(module)
    for attribute in path.split("."):
        found = getattr(found, attribute)
    solver: AnySolver = found
    return solver


def hello(name: str, solver: AnySolver) -> Message:
    """Say what the solver declares, with the hash of its file."""
    own = declare(solver)
    laws = own.laws if own.laws is not None else [law["id"] for law in list_laws()]
    source = getattr(sys.modules[name.partition(":")[0]], "__file__", None)
    content = Path(source).read_bytes() if source else b""
    return {
        "protocol": 1,
        "peer": name,
        "version": _native.version,
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
        "python": sys.version.split()[0],
        "solvers": [
            {
                "name": re.sub("[^a-z0-9_-]", "-", own.id.lower())[:32] or "solver",
                "laws": dict.fromkeys(laws, "exact"),
                "operators": ["bodies"] if own.needs_bodies else ["matrix", "bodies"],
                "compliance": "coupled" if own.coupled_compliance else "diagonal",
                "unsymmetric": not own.symmetric_only,
                "precision": "f64",
                "deterministic": own.deterministic,
                "clock": "wall",
                "chunks": not own.direct,
                "direct": own.direct,
                "tolerance": {"meaning": "none: it ends where impulses do not change", "unit": "-"},
            }
        ],
    }


class Session:
    """The problem that was sent last, and the solver on it."""

    def __init__(self, solver: AnySolver, declaration: Declaration) -> None:
        """Make the object of the solver."""
        self._solver = _native.NativeSolver(maker(solver), declaration)
        self._direct = declaration.direct
        self._is_map = declaration.unit_is_map
        self._problem: _native.NativeProblem | None = None
        self._done = 0

    def answer(self, request: Message, array: bytes | None) -> tuple[Message, bytes | None]:
        """Answer a request; what the solver's code raises is an error or a refusal."""
        head: Message = {"id": request["id"]}
        try:
            return self._answer(head, request, array)
        except NotImplementedError as error:
            return {**head, "claimed": "unsupported", "message": str(error)[:1900]}, None
        except Exception as error:  # the driver counts it as a failure and goes on
            return {**head, "error": f"{type(error).__name__}: {error}"[:1900]}, None

    def _answer(
        self, head: Message, request: Message, array: bytes | None
    ) -> tuple[Message, bytes | None]:
        if request["op"] == "prepare":
            self._problem = _native.NativeProblem.of_snapshot(array or b"")
            return head, None
        if request["op"] not in ("solve", "chunk"):
            return {**head, "error": f"there is no op {request['op']!r}"}, None
        if self._problem is None:
            return {**head, "error": "prepare comes first"}, None
        began = time.perf_counter()
        if request["op"] == "solve":
            start = np.frombuffer(array, "<f8").copy() if array else None
            self._solver.prepare(self._problem, start)
            self._done = 0
            sweeps = request["max_iterations"]
        else:
            sweeps = request["iterations"]
        claimed = self._sweep(min(sweeps, _LARGEST), began + request["max_seconds"])
        seconds = time.perf_counter() - began
        impulses = self._solver.impulses(self._problem).astype("<f8").tobytes()
        head |= {"claimed": claimed, "iterations": self._done, "residuals": {}}
        return {**head, "solve_s": seconds, "clock": "wall", "message": ""}, impulses

    def _sweep(self, sweeps: int, end: float) -> str:
        """Sweep up to a number of times, a limit of time or impulses that do not change."""
        assert self._problem is not None
        before = b""
        for _ in range(1 if self._direct else sweeps):
            if time.perf_counter() > end:
                return "time"
            self._solver.iterate(self._problem, 1)
            self._done += 1
            if self._is_map:
                impulses = self._solver.impulses(self._problem).tobytes()
                if impulses == before:
                    return "converged"
                before = impulses
        return "converged" if self._direct else "limit"


def write(out: BinaryIO, message: Message, impulses: bytes | None = None) -> None:
    """Write a message with its array, if it has one; that of a problem without rows is empty."""
    if impulses is not None:
        message["arrays"] = [{"name": "impulses", "dtype": "f64", "length": len(impulses) // 8}]
    text = json.dumps(message, allow_nan=False).encode()
    out.write(len(text).to_bytes(4, "little") + text + (impulses or b""))
    out.flush()


def read(source: BinaryIO) -> tuple[Message, bytes | None]:
    """Read a request with the last of its arrays; the end of the stream is a request to quit."""
    text = source.read(int.from_bytes(source.read(4), "little"))
    request: Message = json.loads(text or '{"op": "quit", "id": 0}')
    array = None
    for entry in request.get("arrays", ()):
        array = source.read(entry["length"] * _BYTES[entry["dtype"]])
    return request, array


def main() -> None:
    """Answer requests until one says quit."""
    if len(sys.argv) != 2 or ":" not in sys.argv[1]:
        sys.exit("usage: python -m delassus.peer MODULE:NAME")
    name = sys.argv[1]
    # what the solver prints is no answer
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    solver = find(name)
    session = Session(solver, declare(solver))
    write(out, hello(name, solver))
    while True:
        request, array = read(sys.stdin.buffer)
        if request["op"] == "quit":
            return
        write(out, *session.answer(request, array))


if __name__ == "__main__":
    main()
