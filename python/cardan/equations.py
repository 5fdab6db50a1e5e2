"""Documents of equations and pages of runs, as notebooks show them."""

from __future__ import annotations

import html
from pathlib import Path


class Equations(str):
    """A document of equations in a format."""

    kind: str
    """The format: html, latex or rtf."""

    def __new__(cls, text: str, kind: str) -> Equations:
        made = super().__new__(cls, text)
        made.kind = kind
        return made

    def _repr_html_(self) -> str | None:
        if self.kind != "html":
            return None
        return _framed(str(self), "sandbox")


class Page(str):
    """The page of a run, which moves; a cell of a notebook that ends with it shows it."""

    def _repr_html_(self) -> str:
        return _framed(str(self), 'sandbox="allow-scripts"')

    def save(self, path: str | Path) -> None:
        """Writes the page, which a browser opens."""
        Path(path).write_text(self, encoding="utf-8")


def _framed(page: str, sandbox: str) -> str:
    """A page in a frame that cannot reach the notebook."""
    style = "width: 100%; height: 40em; border: 0"
    return f'<iframe {sandbox} srcdoc="{html.escape(page, quote=True)}" style="{style}"></iframe>'
