"""Block Gauss-Seidel with a gradient step per block, judged by the laws of conformance."""

import numpy as np

import delassus
from delassus import Block, Floats, Problem


class BlockDescent:
    """λ_c ← Π(λ_c − ŵ_c / trace(A_cc + R_cc)), one block after another."""

    laws = ("equality", "bounds", "frictionless", "fixed-box", "pyramid", "disc")

    def prepare(self, problem: Problem, start: Floats) -> None:
        """Begin at the given impulses."""
        self.problem = problem
        self.matrix = problem.A + problem.R
        self.b = problem.b
        self.x = start.copy()

    def iterate(self, n: int) -> None:
        """Do n sweeps."""
        for _ in range(n):
            for block in self.problem.blocks:
                self.x[block.rows] = self.update(block)

    def update(self, block: Block) -> Floats:
        """Return the new impulses of a block."""
        rows = block.rows
        velocity = self.matrix[rows] @ self.x + self.b[rows]
        step = 1.0 / np.trace(self.matrix[rows, rows])
        velocity = self.problem.corrected(velocity, block.index)
        return self.problem.project(self.x[rows] - step * velocity, block.index)

    def impulses(self) -> Floats:
        """Return λ."""
        return self.x


if __name__ == "__main__":
    delassus.check_solver(BlockDescent)
