"""The laws that every solver obeys, on a solver in Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from delassus import _native
from delassus._own import AnySolver, declare, maker


@dataclass(frozen=True)
class LawVerdict:
    """What one law found."""

    law: int
    """Its number."""
    title: str
    """What it demands."""
    verdict: str
    """`holds`, `broken` or `not applicable`."""
    cases: int
    """Number of cases on which it holds."""
    case: str
    """The case on which it is broken; empty if there is none."""
    message: str
    """What is wrong there, or why the law does not apply."""
    exception: BaseException | None
    """What the solver raised on the way."""


@dataclass(frozen=True)
class Check:
    """The verdict of every law on a solver."""

    solver: str
    """Its name."""
    laws: list[LawVerdict]
    """In the order of their numbers."""

    @property
    def broken(self) -> list[LawVerdict]:
        """The laws that the solver breaks."""
        return [law for law in self.laws if law.verdict == "broken"]

    @property
    def passed(self) -> bool:
        """True if the solver breaks no law and meets at least one."""
        return not self.broken and any(law.cases for law in self.laws)

    def __str__(self) -> str:
        """One line per law, and what is wrong below it."""
        lines = [f"{self.solver}: {len(self.broken)} of {len(self.laws)} laws are broken"]
        for law in self.laws:
            held = f"{law.cases} cases" if law.verdict == "holds" else law.verdict
            lines.append(f"  {law.law:>2}  {law.title}: {held}")
            if law.verdict == "broken":
                lines.append(f"      {law.case}: {_short(law.message)}")
                if law.exception is not None:
                    raised = f"{type(law.exception).__name__}: {law.exception}"
                    lines.append(f"      raised {_short(raised)}")
        return "\n".join(lines)


def check_solver(
    solver: AnySolver, *, laws: Sequence[int] = (), share: int = 1, quiet: bool = False
) -> Check:
    """Run the conformance laws on your solver and print what is broken.

    A law ends at the first case that breaks it. `laws` are the numbers of some laws; with `share`
    = n, every nth case is met, which is faster. docs/python.md has the laws.
    """
    declaration = declare(solver)
    found = _native.check(maker(solver), declaration, list(laws), share)
    check = Check(declaration.id, [LawVerdict(**law) for law in found])
    if not quiet:
        print(check)
    return check


def _short(text: str) -> str:
    return text if len(text) <= 200 else text[:199] + "…"
