"""What a notebook shows: figures as SVG, replays as pages."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from delassus import _native
from delassus._arrays import PathLike
from delassus._native import DelassusError
from delassus._world import World


@dataclass(frozen=True)
class Figure:
    """A figure. A notebook shows it; `save` writes it."""

    svg: str
    """The figure as SVG."""

    def save(self, path: PathLike) -> None:
        """Write the figure as an SVG file."""
        Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True)
class Replay:
    """A page that plays recorded motion. A notebook shows it in a frame; `save` writes it."""

    page: str
    """The page as HTML, which needs nothing else."""

    def save(self, path: PathLike) -> None:
        """Write the page as an HTML file."""
        Path(path).write_text(self.page, encoding="utf-8")

    def _repr_html_(self) -> str:
        content = html.escape(self.page)
        return (
            f'<iframe srcdoc="{content}" sandbox="allow-scripts" '
            'style="width: 100%; height: 30em; border: 0"></iframe>'
        )


def replay(worlds: World | Mapping[str, World], title: str = "replay") -> Replay:
    """Make the page that plays recorded worlds side by side, each with its name.

    A world is recorded from `World.record()` on. The page holds about 3 MB per world at most; it
    leaves out contacts and frames where there are more.

    >>> world = World.scene("vertical-stack", n=3)
    >>> world.record()
    >>> world.step(30)
    >>> "<script" in replay({"soft-step": world}).page
    True
    """
    named = {"world": worlds} if isinstance(worlds, World) else worlds
    if not named:
        raise DelassusError("there is no world to play")
    cells = [(name, world._native) for name, world in named.items()]
    return Replay(_native.replay_page(title, cells))
