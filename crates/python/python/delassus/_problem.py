"""Frozen problems: from arrays, files and generators."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from delassus._arrays import Floats, PathLike, flat, module, triplets, vector
from delassus._native import DelassusError, FileError, NativeProblem

_FORMATS = {
    ".dls": "dls",
    ".npz": "npz",
    ".hdf5": "fclib",
    ".h5": "fclib",
    ".dat": "text",
    ".txt": "text",
}


class Law(NamedTuple):
    """The law of a block of rows: its identifier, its number of rows, and its numbers.

    `list_laws()` has the laws. Their numbers, in this order: `bounds` lower and upper bound [N·s];
    `fixed-box` the limit [N·s]; `pyramid`, `disc`, `coulomb` and `convex-cone` μ [-]; `facets` μ
    and the number of directions; `patch` μ and a lever per point [m]; `rolling` μ, ρ_r and perhaps
    ρ_s [m]; laws with a coefficient per row of friction these coefficients.

    >>> Law("coulomb", 3, (0.5,))
    Law(name='coulomb', rows=3, numbers=(0.5,))
    """

    name: str
    rows: int
    numbers: tuple[float, ...] = ()


@dataclass(frozen=True)
class Block:
    """Consecutive rows of a problem that share a law."""

    index: int
    law: str
    rows: slice
    numbers: tuple[float, ...]


class Problem:
    """The constraint problem of one time step: w = (A + R) λ + b, with a law per block.

    Make one with `from_arrays`, `load`, `generate`, `Step.build` or `World.frame_problem`. A
    problem never changes; its arrays are copies.
    """

    _native: NativeProblem

    def __init__(self, native: NativeProblem) -> None:
        """Take over a native problem; users call the methods above."""
        self._native = native
        self._blocks: list[Block] | None = None

    @classmethod
    def from_arrays(
        cls,
        A: Any = None,
        b: ArrayLike | None = None,
        mu: ArrayLike | None = None,
        *,
        R: Any = None,
        J: Any = None,
        M_inverse: ArrayLike | None = None,
        v: ArrayLike | None = None,
        bias: ArrayLike | None = None,
        blocks: Iterable[Sequence[Any]] | None = None,
        law: str = "coulomb",
        rows_per_contact: int = 3,
        name: str = "arrays",
    ) -> Problem:
        """Make a problem from its matrix, or from bodies and Jacobians.

        Either `A` (m x m) and `b` (m), or `J` (m x 6 N), `M_inverse` (N x 6 x 6, zero for a fixed
        body) and the free velocities `v` (6 N), with a `bias` (m) if there is one: A = J M⁻¹ Jᵀ and
        b = J v + bias. `A`, `J` and the compliance `R` (m, or m x m within blocks) may be sparse
        matrices of SciPy. SI units.

        The laws come from `blocks`, tuples (law, rows, numbers) as `Law` has them. Without `blocks`
        and with `mu`, one coefficient or one per contact, each contact has `rows_per_contact` rows
        (the normal first) and the `law`. Without both, every row is λ ≥ 0 with w ≥ 0.

        >>> puck = Problem.from_arrays(
        ...     J=np.eye(3, 6), M_inverse=np.diag([5.0] * 3 + [0.0] * 3), v=[-1.0, 2, 0, 0, 0, 0],
        ...     mu=0.3,
        ... )
        >>> puck.b.tolist(), puck.blocks[0].law
        ([-1.0, 2.0, 0.0], 'coulomb')

        Raises `DelassusError` for arrays that do not fit, numbers that are not finite, and laws
        that do not exist.
        """
        of_bodies = [("J", J), ("M_inverse", M_inverse), ("v", v), ("bias", bias)]
        if A is not None:
            extra = [key for key, value in of_bodies if value is not None]
            if extra:
                raise DelassusError(f"A and {extra[0]} exclude each other: give A and b, or J")
            if b is None:
                raise DelassusError("b is missing: w = (A + R) λ + b")
            matrix, right = triplets("A", A), vector("b", b)
            specs = _blocks(blocks, mu, law, rows_per_contact, right.size)
            native = NativeProblem.from_matrix(matrix, right, _compliance(R), specs, name)
            return cls(native)
        if J is None or M_inverse is None or v is None:
            raise DelassusError("give A and b, or J, M_inverse and v")
        if b is not None:
            raise DelassusError("b follows from J, v and bias: give bias instead of b")
        jacobian = triplets("J", J)
        rows = jacobian[3][0]
        specs = _blocks(blocks, mu, law, rows_per_contact, rows)
        offset = np.zeros(rows) if bias is None else vector("bias", bias)
        masses, velocities = flat("M_inverse", M_inverse), flat("v", v)
        return cls(
            NativeProblem.from_bodies(
                jacobian, masses, velocities, offset, _compliance(R), specs, name
            )
        )

    @classmethod
    def load(cls, path: PathLike, law: str = "coulomb") -> Problem:
        """Read a problem file: a snapshot (.dls), FCLIB, or text of other programs.

        Files that have only coefficients of friction get the `law`: coulomb, disc, pyramid or
        convex-cone. Raises `FileError` with the line or byte where the file is wrong.
        """
        return cls(NativeProblem.load(os.fspath(path), law))

    @classmethod
    def generate(cls, generator: str, **parameters: Any) -> Problem:
        """Make a problem by the name of its generator, which `list_generators()` has.

        >>> Problem.generate("planted", coulomb=2, seed=3).reference is not None
        True
        """
        return cls(NativeProblem.generate(generator, json.dumps(parameters)))

    def save(self, path: PathLike, *, lossy: bool = False) -> None:
        """Write the problem; the ending of the name tells the format.

        `.dls` keeps everything, `.hdf5` is FCLIB, `.dat` the text of other programs, `.npz` an
        archive of dense arrays. Raises `FileError` if the format has no place for something,
        unless `lossy`. The file appears whole or not at all.
        """
        target = Path(path)
        kind = _FORMATS.get(target.suffix.lower())
        if kind is None:
            endings = ", ".join(_FORMATS)
            raise FileError(f"{target}: the name does not tell the format; end it in {endings}")
        content, losses = self._native.bytes(kind)
        if losses and not lossy:
            lost = "; ".join(losses)
            raise FileError(f"{target} would lose something: {lost}; lossy=True accepts that")
        with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as file:
            temporary = file.name
            try:
                file.write(content)
            except BaseException:
                os.unlink(temporary)
                raise
        os.replace(temporary, target)

    @property
    def name(self) -> str:
        """The name, for tables and figures."""
        return self._native.name

    @property
    def provenance(self) -> str:
        """Where the problem comes from."""
        return self._native.provenance

    @property
    def rows(self) -> int:
        """Number of rows m."""
        return self._native.rows

    @property
    def bodies(self) -> int | None:
        """Number of bodies N; None if the problem is given by its matrix."""
        return self._native.bodies

    @property
    def blocks(self) -> list[Block]:
        """The blocks, in the order of their rows."""
        if self._blocks is None:
            self._blocks = [
                Block(index, law, slice(first, first + rows), tuple(numbers))
                for index, (law, first, rows, numbers) in enumerate(self._native.blocks)
            ]
        return self._blocks

    @property
    def A(self) -> Floats:
        """The Delassus operator J M⁻¹ Jᵀ (m x m) [1/kg], without R."""
        return self._dense("A")

    @property
    def R(self) -> Floats:
        """The compliance (m x m) [1/kg]."""
        return self._dense("R")

    @property
    def b(self) -> Floats:
        """The velocity of the rows before any impulse (m) [m/s]."""
        return self._native.b()

    @property
    def bias(self) -> Floats:
        """The part of b that is no velocity of bodies (m) [m/s]."""
        return self._native.bias()

    @property
    def J(self) -> Floats | None:
        """The Jacobian (m x 6 N); None without bodies."""
        return self._native.dense("J")

    def sparse(self, name: str) -> Any:
        """Return `A`, `R` or `J` as a sparse array of SciPy in compressed rows; None for no J.

        Its arrays are those of the native module, without a copy.

        >>> Problem.from_arrays(A=np.diag([2.0, 1.0]), b=[-1.0, -1.0]).sparse("A").nnz
        2
        """
        found = self._native.sparse(name)
        if found is None:
            return None
        values, columns, starts, width = found
        shape = (self.rows, width)
        return module("scipy.sparse", "scipy").csr_array((values, columns, starts), shape=shape)

    @property
    def M_inverse(self) -> Floats | None:
        """The inverse masses (N x 6 x 6) [1/kg, 1/(kg·m²)]; None without bodies."""
        values = self._native.inverse_mass()
        return None if values is None else values.reshape(-1, 6, 6)

    @property
    def v(self) -> Floats | None:
        """The free velocities (6 N) [m/s, rad/s]; None without bodies."""
        return self._native.free_velocity()

    @property
    def reference(self) -> Floats | None:
        """The impulses of a known solution (m) [N·s]; None if none is known."""
        return self._native.reference()

    @property
    def warm_start(self) -> Floats | None:
        """The impulses that the scheme of a time step started from (m) [N·s]."""
        return self._native.warm_start()

    def _dense(self, name: str) -> Floats:
        found = self._native.dense(name)
        assert found is not None
        return found

    def velocity(self, impulses: ArrayLike) -> Floats:
        """Compute w = (A + R) λ + b (m) [m/s], without forming A."""
        return self._native.velocity(vector("impulses", impulses))

    def corrected(self, velocity: ArrayLike, block: int | None = None) -> Floats:
        """Add the De Saxcé term of Coulomb's cones to velocities of all rows, or of one block.

        A solution is a fixed point of λ ← `project(λ − ρ corrected(velocity(λ)))`, ρ > 0.
        """
        return self._native.corrected(vector("velocity", velocity), block)

    def project(self, impulses: ArrayLike, block: int | None = None) -> Floats:
        """Project impulses onto what their laws admit, of all rows or of one block.

        Normals come first and bound the friction behind them.

        >>> contact = Problem.from_arrays(A=np.eye(3), b=[-1.0, 2.0, 0.0], mu=0.5, law="disc")
        >>> contact.project([2.0, 3.0, 0.0]).tolist()
        [2.0, 1.0, 0.0]
        """
        return self._native.project(vector("impulses", impulses), block)

    def body_velocities(self, impulses: ArrayLike) -> Floats:
        """Compute the velocities after the impulses (N x 6) [m/s, rad/s]."""
        return self._native.body_velocities(vector("impulses", impulses)).reshape(-1, 6)

    def metrics(self, impulses: ArrayLike) -> dict[str, float]:
        """Evaluate every residual that applies, by its identifier; `list_metrics()` explains them.

        >>> puck = Problem.from_arrays(A=np.eye(3), b=[-1.0, 0.0, 0.0], mu=0.5)
        >>> puck.metrics([1.0, 0.0, 0.0])["natural_map"]
        0.0
        """
        return self._native.metrics(vector("impulses", impulses))

    def inspect(self) -> dict[str, Any]:
        """Count rows, blocks, bodies, contacts and laws, and measure defects of A."""
        return self._native.facts()

    def __repr__(self) -> str:
        """Name and size."""
        laws: Mapping[str, int] = self.inspect()["laws"]
        parts = ", ".join(f"{count} {law}" for law, count in laws.items())
        return f"<Problem {self.name}: {self.rows} rows; {parts or 'no blocks'}>"


def _compliance(R: Any) -> Any:
    if R is None:
        return None
    if not hasattr(R, "tocoo") and np.ndim(R) == 1:
        R = np.diag(vector("R", R))
    return triplets("R", R)


def _blocks(
    blocks: Iterable[Sequence[Any]] | None,
    mu: ArrayLike | None,
    law: str,
    rows_per_contact: int,
    rows: int,
) -> list[tuple[str, int, list[float]]]:
    if blocks is not None:
        if mu is not None:
            raise DelassusError("blocks and mu exclude each other: blocks have their numbers")
        return [_block(index, block) for index, block in enumerate(blocks)]
    if mu is None:
        return [("bounds", 1, [0.0, float("inf")])] * rows
    if rows_per_contact not in (2, 3):
        raise DelassusError(f"rows_per_contact = {rows_per_contact}: 2 in the plane, 3 in space")
    contacts, left = divmod(rows, rows_per_contact)
    if left:
        raise DelassusError(
            f"{rows} rows are no contacts of {rows_per_contact} rows each; blocks give the laws of "
            "other rows"
        )
    coefficients = flat("mu", mu)
    if coefficients.size == 1:
        coefficients = np.full(contacts, coefficients[0])
    if coefficients.size != contacts:
        raise DelassusError(f"mu has {coefficients.size} numbers for {contacts} contacts")
    return [(law, rows_per_contact, [float(one)]) for one in coefficients]


def _block(index: int, block: Sequence[Any]) -> tuple[str, int, list[float]]:
    name, rows, *rest = block
    if not isinstance(name, str) or not isinstance(rows, int | np.integer) or rows < 0:
        raise DelassusError(f"block {index}: give (law, rows, numbers), not {tuple(block)!r}")
    numbers = rest[0] if len(rest) == 1 and np.ndim(rest[0]) == 1 else rest
    return name, int(rows), [float(number) for number in flat(f"block {index}", numbers)]
