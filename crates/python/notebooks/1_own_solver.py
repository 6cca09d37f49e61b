# %% [markdown]
# # The convergence of your own solver
#
# A solver in twenty lines, judged by the laws that every solver obeys, and drawn with two others.

# %%
import numpy as np

import delassus
from delassus import Block, Floats, Problem


class BlockDescent:
    """One projected gradient step per contact, contact after contact."""

    laws = ("equality", "bounds", "frictionless", "fixed-box", "pyramid", "disc", "coulomb")

    def prepare(self, problem: Problem, start: Floats) -> None:
        """Begin at the given impulses."""
        self.problem, self.x = problem, start.copy()
        self.matrix, self.b = problem.A + problem.R, problem.b

    def iterate(self, n: int) -> None:
        """Do n sweeps."""
        for block in self.problem.blocks * n:
            self.x[block.rows] = self.update(block)

    def update(self, block: Block) -> Floats:
        """Return the new impulses of a contact."""
        rows, problem = block.rows, self.problem
        velocity = problem.corrected(self.matrix[rows] @ self.x + self.b[rows], block.index)
        step = 1.0 / np.trace(self.matrix[rows, rows])
        return problem.project(self.x[rows] - step * velocity, block.index)

    def impulses(self) -> Floats:
        """Return λ."""
        return self.x


# %% [markdown]
# The laws run on problems with known solutions. Each ends at the first case that breaks it.

# %%
check = delassus.check_solver(BlockDescent, laws=[1, 2, 4, 5, 13], share=8)
assert check.passed

# %% [markdown]
# The same residual, computed outside the solver, on two problems with known solutions:

# %%
problems = [Problem.generate("planted", bodies=4, coulomb=3, seed=seed) for seed in (1, 2)]
comparison = delassus.compare([BlockDescent, "pgs", "nncg"], problems, tol=1e-6)
print(comparison)
comparison
