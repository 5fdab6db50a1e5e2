"""Findings about a model text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Place:
    """A place in a text, with a few words about it; lines and columns count from 1."""

    text: str
    is_primary: bool
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Finding:
    """One finding: what is wrong, where, why, and what to type instead."""

    code: str
    severity: str
    message: str
    places: tuple[Place, ...]
    notes: tuple[str, ...]
    help: tuple[str, ...]

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Finding:
        """A finding as the extension module gives it."""
        places = tuple(Place(*label) for label in raw["labels"])
        notes, help = tuple(raw["notes"]), tuple(raw["help"])
        return cls(raw["code"], raw["severity"], raw["message"], places, notes, help)

    def __str__(self) -> str:
        place = f"{self.places[0].line}:{self.places[0].column}: " if self.places else ""
        hints = "".join(f"\n  help: {line}" for line in self.help)
        return f"{place}{self.severity}[{self.code}]: {self.message}{hints}"
