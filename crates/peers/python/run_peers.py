"""Run peers on problem files and judge their impulses, without the program (tests/peers.sh).

python3 run_peers.py [--peers NAME,...] [--tolerance T] [--iterations N] [--seconds S] FILE.dls ...
prints a Markdown table: what each peer claims, and the natural map of its impulses in f64. It takes
the peers of the folder above; DELASSUS_PEERS_VENV names their virtual environment.
"""
import argparse
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import time
import tomllib

import judge
import numpy as np
from delassus_peer import Problem

HERE = pathlib.Path(__file__).resolve().parent
THREADS = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]


class Died(Exception):
    """The process of a peer ended, or was ended after the time limit."""


def interpreter(folder, names):
    """The first interpreter of a peer.toml that exists."""
    for name in names:
        if name == "venv":
            name = os.path.join(os.environ.get("DELASSUS_PEERS_VENV", "/none"), "bin/python")
        path = folder / name if "/" in name else shutil.which(name)
        if path and os.access(path, os.X_OK):
            return str(path)
    raise Died("no interpreter")


class Peer:
    """A process that speaks the protocol."""

    def __init__(self, command, folder=None):
        path = [str(HERE), os.environ.get("PYTHONPATH", "")]
        own = {"PYTHONPATH": os.pathsep.join(filter(None, path)), "DELASSUS_PEER": "1"}
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
            env={**os.environ, **dict.fromkeys(THREADS, "1"), **own})
        self.count, self.hello = 0, self.receive(60)[0]

    def bytes(self, count, deadline):
        """Exactly so many bytes of the peer's answers."""
        data, source = b"", self.process.stdout.fileno()
        while len(data) < count:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([source], [], [], left)[0]:
                self.process.kill()
                raise Died("no answer in time")
            part = os.read(source, count - len(data))
            if not part:
                words = self.process.stderr.read().decode(errors="replace").strip().splitlines()
                raise Died(f"exit {self.process.wait()}: {(words or ['no words'])[-1][:80]}")
            data += part
        return data

    def receive(self, seconds):
        deadline = time.monotonic() + seconds
        size = int.from_bytes(self.bytes(4, deadline), "little")
        answer = json.loads(self.bytes(size, deadline))
        arrays = {entry["name"]: np.frombuffer(self.bytes(8 * entry["length"], deadline), "<f8")
                  for entry in answer.get("arrays", ())}
        return answer, arrays.get("impulses")

    def ask(self, seconds=60, data=b"", array="problem", **request):
        """The answer to one request, and its impulses."""
        self.count += 1
        request["id"] = self.count
        if data:
            dtype, size = ("u8", 1) if array == "problem" else ("f64", 8)
            request["arrays"] = [{"name": array, "dtype": dtype, "length": len(data) // size}]
        text = json.dumps(request).encode()
        self.process.stdin.write(len(text).to_bytes(4, "little") + text + data)
        self.process.stdin.flush()
        return self.receive(seconds)

    def close(self):
        self.process.kill()
        self.process.communicate()


def row(peer, solver, path, options):
    """Cells of the table for one solver and one file."""
    data = path.read_bytes()
    answer, _ = peer.ask(op="prepare", solver=solver, parameters={}, data=data)
    if "message" in answer or "error" in answer:
        words = answer.get("message", answer.get("error"))
        return [answer.get("claimed", "failed"), "", "", "", words]
    answer, impulses = peer.ask(
        options.seconds + 5, op="solve", tolerance=options.tolerance, start="cold",
        max_iterations=options.iterations, max_seconds=options.seconds)
    if impulses is None or not np.all(np.isfinite(impulses)):
        words = answer.get("error", "no finite impulses")
        return [answer.get("claimed", "failed"), "", "", "", words]
    problem = Problem(data)
    own = max((x for x in answer["residuals"].values() if x is not None), default=np.nan)
    residual = judge.natural_map(problem, impulses)
    words = answer["message"] if answer["claimed"] != "converged" else ""
    return [answer["claimed"], str(answer["iterations"]), f"{own:.1e}", f"{residual:.1e}", words]


def table(folder, options):
    """Prints the lines of one peer."""
    about = tomllib.loads((folder / "peer.toml").read_text())
    try:
        python = interpreter(folder, about["python"])
        command = [python if word == "{python}" else word for word in about["command"]]
        peer = Peer(command, folder)
    except Died as reason:
        print(f"{folder.name}: skipped: {reason} ({about['install']})", file=sys.stderr)
        return 0
    done = 0
    for solver in (entry["name"] for entry in peer.hello["solvers"]):
        for path in options.files:
            try:
                cells = row(peer, solver, path, options)
            except Died as reason:
                cells = ["died", "", "", "", str(reason)]
                peer.close()
                peer = Peer(command, folder)
            if cells[0] != "unsupported":
                name = f"{folder.name}/{solver} {peer.hello['version']}"
                print("| " + " | ".join([name, path.stem, *cells]) + " |", flush=True)
                done += 1
    peer.close()
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", default="")
    parser.add_argument("--tolerance", type=float, default=1e-10)
    parser.add_argument("--iterations", type=int, default=10000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    folders = sorted(path.parent for path in HERE.parent.glob("*/peer.toml"))
    names = options.peers.split(",") if options.peers else [folder.name for folder in folders]
    print("| peer | problem | claimed | iterations | own residual | natural map | remark |")
    print("|---|---|---|---|---|---|---|", flush=True)
    counts = [table(folder, options) for folder in folders if folder.name in names]
    print(f"{sum(1 for count in counts if count)} of {len(counts)} peers ran", file=sys.stderr)


if __name__ == "__main__":
    main()
