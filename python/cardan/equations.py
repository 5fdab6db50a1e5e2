"""Documents of equations, as notebooks show them."""

from __future__ import annotations

import html


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
        page = html.escape(str(self), quote=True)
        style = "width: 100%; height: 40em; border: 0"
        return f'<iframe sandbox srcdoc="{page}" style="{style}"></iframe>'
