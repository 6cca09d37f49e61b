"""Solvers in Python for Delassus (docs/peers.md): read a frozen problem, answer with impulses.

Import it before any other module: it keeps stdout for answers, and prints go to stderr. A peer is
`serve(name, version, [Solver(...), ...])`. W [1/kg], b [m/s], impulses [N·s] have the rows of the
file, normal rows first. NotImplementedError in `prepare` or `solve` means: not supported.
"""
import json
import os
import sys
import time
from collections import namedtuple

OUT = os.fdopen(os.dup(1), "wb")
if os.environ.get("DELASSUS_PEER"):
    os.dup2(2, 1)
import numpy as np  # noqa: E402

TYPES = {"F64": "<f8", "F32": "<f4", "U64": "<u8", "U32": "<u4", "U8": "u1"}
Block = namedtuple("Block", "law rows parameters")  # rows: a slice; parameters: numbers of the law
Request = namedtuple("Request", "tolerance max_iterations max_seconds start parameters")
# claimed: converged, limit, time, failed; seconds: None for the time of the call of solve
Answer = namedtuple("Answer", "impulses claimed iterations residuals seconds message",
                    defaults=({}, None, ""))


class Problem:
    """rows, blocks, W = A + R (dense, Fortran order), b, R, start, reference; with bodies J [m, 6N]
    and M_inverse [N, 6, 6]; held: some rows are not solved for. The checksum is not computed."""

    def __init__(self, data):
        size = int.from_bytes(data[:8], "little")
        if not 2 <= size <= len(data) - 8 or b"delassus-problem" not in data[8:8 + size]:
            raise ValueError("no .dls file: no header that says delassus-problem")
        header, body = json.loads(data[8:8 + size]), data[8 + size:]
        self.text = header.pop("__metadata__")
        at = self.arrays = {}
        for name, entry in header.items():
            array = np.frombuffer(body[slice(*entry["data_offsets"])], TYPES[entry["dtype"]])
            at[name] = array.reshape(entry["shape"])
        laws, dims = self.text["laws"].split(), at["blocks/dim"].astype(int).tolist()
        rows = [slice(end - dim, end) for dim, end in zip(dims, np.cumsum(dims).tolist())]
        self.blocks = [Block(laws[law], *own) for law, *own in zip(
            at["blocks/law"], rows, at["blocks/parameters"].tolist())]
        self.held = any(active == 2 or active == 1 and block.law not in ("equality", "bounds")
                        for active, block in zip(at["blocks/activity"], self.blocks))
        self.rows, self.R = len(at["rows/bias"]), np.diag(at["rows/compliance"])
        self.start, self.reference = at.get("warm_start/impulses"), at.get("reference/impulses")
        values = iter(at.get("coupled/compliance", ()))
        for k in at.get("coupled/block", ()):
            part = self.R[rows[k], rows[k]]
            for i, j in zip(*np.tril_indices(len(part), -1)):
                part[i, j] = part[j, i] = next(values)
        self.J = self.M_inverse = None
        if "matrix/values" in at:
            self.W, first = np.array(self.R, order="F"), 0
            for i, j in zip(at["matrix/block_row"], at["matrix/block_column"]):
                part = self.W[rows[i], rows[j]]
                part += at["matrix/values"][first:first + part.size].reshape(part.shape)
                first += part.size
            self.b = at["matrix/free_velocity"] + at["rows/bias"]
            return
        J = np.zeros((self.rows, len(at["bodies/inverse_mass"]), 6))
        for k, part in enumerate(rows):
            bodies = at["jacobian/bodies"][slice(*at["jacobian/first_body"][k:k + 2])]
            entries = at["jacobian/entries"][slice(*at["jacobian/first_entry"][k:k + 2])]
            for column, body in enumerate(bodies):
                J[part, body] += entries.reshape(-1, len(bodies), 6)[:, column]
        self.J, self.M_inverse = J.reshape(self.rows, -1), np.zeros((J.shape[1], 6, 6))
        self.M_inverse[:, range(3), range(3)] = at["bodies/inverse_mass"]
        self.M_inverse[:, 3:, 3:] = at["bodies/inverse_inertia"]
        moved = np.einsum("rni,nij->rnj", J, self.M_inverse).reshape(self.rows, -1)
        self.W = np.asfortranarray(moved @ self.J.T + self.R)
        self.b = self.J @ at["bodies/free_velocity"].ravel() + at["rows/bias"]


class Solver:
    """solve(prepared, request) -> Answer; prepare(problem, **parameters) -> prepared, not timed;
    laws: names, or {name: "exact" or what is solved instead}; parameters: {name: (value, text)}"""

    def __init__(self, name, solve, laws, tolerance, unit, prepare=lambda problem, **_: problem,
                 parameters={}, **hello):
        self.solve, self.prepare = solve, prepare
        self.known = {key: default for key, (default, _) in parameters.items()}
        self.hello = {"operators": ["matrix"], "compliance": "coupled", "precision": "f64",
                      "deterministic": True, "clock": "wall", **hello, "name": name,
                      "laws": laws if isinstance(laws, dict) else dict.fromkeys(laws, "exact"),
                      "tolerance": {"meaning": tolerance, "unit": unit},
                      "parameters": [{"name": key, "default": default, "text": text}
                                     for key, (default, text) in parameters.items()]}

    def prepared(self, data, parameters):
        """The problem and what `solve` takes; refuses laws and parameters that nobody declared."""
        problem = Problem(data)
        if other := {block.law for block in problem.blocks} - set(self.hello["laws"]):
            raise NotImplementedError("laws: " + " ".join(sorted(other)))
        if problem.held:
            raise NotImplementedError("rows that are not solved for")
        if unknown := set(parameters) - set(self.known):
            raise ValueError("unknown parameter " + ", ".join(sorted(unknown)))
        values = {**self.known, **parameters}
        return problem, self.prepare(problem, **values), values


def reply(source, solvers, state):
    """Reads one request; its answer and impulses, or None where the driver quits or has gone."""
    text = source.read(int.from_bytes(source.read(4), "little"))
    request = json.loads(text or '{"op": "quit", "id": 0}')
    number, array = {"id": request["id"]}, None
    for entry in request.get("arrays", ()):
        array = source.read(entry["length"] * int(entry["dtype"][1:]) // 8)
    try:
        if request["op"] == "prepare":
            state.update(solver=solvers[request["solver"]], problem=None)
            state["problem"] = state["solver"].prepared(array, request["parameters"])
            return number, None
        if request["op"] == "solve":
            problem, prepared, values = state["problem"]
            start = np.frombuffer(array or problem.rows * bytes(8), "<f8").copy()
            # the largest int of C; libraries refuse a tolerance of 0
            limits = [max(min(request[key], 2 ** 31 - 1), 1e-300) for key in Request._fields[:3]]
            began = time.perf_counter()
            answer = state["solver"].solve(prepared, Request(*limits, start, values))
            wall, own = time.perf_counter() - began, answer.seconds
            finite = {k: float(x) if np.isfinite(x) else None for k, x in answer.residuals.items()}
            return {**number, "claimed": answer.claimed, "iterations": int(answer.iterations),
                    "message": answer.message, "residuals": finite,
                    "solve_s": wall if own is None else float(own),
                    "clock": state["solver"].hello["clock"]}, answer.impulses
        return None if request["op"] == "quit" else ({**number, "error": "unsupported op"}, None)
    except NotImplementedError as error:
        return {**number, "claimed": "unsupported", "message": str(error)}, None
    except Exception as error:  # the driver counts it as a failure and goes on
        return {**number, "error": f"{type(error).__name__}: {error}"[:1900]}, None


def serve(name, version, solvers):
    """Answers requests until the driver says quit or closes stdin."""
    os.dup2(2, 1)
    answer = {"protocol": 1, "peer": name, "version": version, "python": sys.version.split()[0],
              "solvers": [solver.hello for solver in solvers]}, None
    by_name, state = {solver.hello["name"]: solver for solver in solvers}, {}
    while answer is not None:
        message, impulses = answer
        data = b"" if impulses is None else np.asarray(impulses, "<f8").tobytes()
        if data:
            message["arrays"] = [{"name": "impulses", "dtype": "f64", "length": len(data) // 8}]
        text = json.dumps(message, allow_nan=False).encode()
        OUT.write(len(text).to_bytes(4, "little") + text + data)
        OUT.flush()
        answer = reply(sys.stdin.buffer, by_name, state)
