"""Motions: columns by name, with units."""

from __future__ import annotations

import csv
import difflib
import html
import tempfile
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardan import _cardan

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Column:
    """A quantity over time; numbers are in SI units, times `scale` they are in `unit`."""

    name: str
    unit: str
    description: str
    scale: float


@dataclass(frozen=True)
class Event:
    """Something that happened at an instant."""

    time: float
    name: str


@dataclass(frozen=True)
class Energy:
    """The energy audit of a motion."""

    verdict: str
    residual: float
    """What the audit cannot explain, relative to the energy exchanged."""


class Motion:
    """A motion: `motion["phi"]` is a column in SI units, read-only, without a copy."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.data: Array = raw["data"]
        """All numbers (columns × samples), read-only."""
        self._columns = [Column(*head) for head in raw["columns"]]
        self._places = {column.name: k for k, column in enumerate(self._columns)}
        self.ending: str = raw["ending"]
        """How it ended: finished, stopped, interrupted, failed."""
        self.reason: str = raw["reason"]
        """Why it ended, in words."""
        self.reached: float = raw["reached"]
        """The last time reached."""
        self.warnings: list[str] = raw["warnings"]
        self.energy = Energy(*raw["audit"])
        self.events = [Event(*event) for event in raw["events"]]
        self.pose_times: Array = raw["pose_times"]
        self.poses: dict[str, Array] = raw["poses"]
        """Per body a 4 × 4 matrix for each of the `pose_times`."""
        self.data.flags.writeable = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.data.flags.writeable = False

    @property
    def t(self) -> Array:
        """The times."""
        times: Array = self.data[0]
        return times

    @property
    def columns(self) -> list[str]:
        """The names of the columns, the time first."""
        return [column.name for column in self._columns]

    def column(self, name: str) -> Column:
        """Name, unit to be shown in, description of a column."""
        return self._columns[self._place(name)]

    def unit(self, name: str) -> str:
        """The unit in which people want to see a column; numbers are in SI units all the same."""
        return self.column(name).unit

    def shown(self, name: str) -> Array:
        """A column in the unit in which people want to see it."""
        return self[name] * self.column(name).scale

    def _place(self, name: str) -> int:
        place = self._places.get(name)
        if place is None:
            near = difflib.get_close_matches(name, self._places, 1)
            hint = f"; is `{near[0]}` meant?" if near else ""
            raise KeyError(f"the motion has no column `{name}`{hint}")
        return place

    def __getitem__(self, name: str) -> Array:
        column: Array = self.data[self._place(name)]
        return column

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return int(self.data.shape[1])

    def __repr__(self) -> str:
        return (
            f"<Motion: {len(self)} samples of {len(self._columns)} columns to t = {self.reached:g} s,"
            f" {self.ending}>"
        )

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` with the time as its index; it shares the numbers."""
        import pandas

        columns = {name: self[name] for name in self.columns[1:]}
        frame = pandas.DataFrame(columns, index=pandas.Index(self.t, name="t"), copy=False)
        frame.attrs["units"] = {name: self.unit(name) for name in columns}
        return frame

    def to_xarray(self) -> Any:
        """An `xarray.Dataset` over the time; `shown_in` is the unit to show it in."""
        import xarray

        variables = {
            c.name: ("t", self[c.name], {"shown_in": c.unit, "long_name": c.description})
            for c in self._columns[1:]
        }
        return xarray.Dataset(variables, coords={"t": ("t", self.t, {"units": "s"})})

    def to_arrow(self) -> Any:
        """A `pyarrow.Table`; it shares the numbers."""
        import pyarrow

        return pyarrow.table({name: pyarrow.array(self[name]) for name in self.columns})

    def to_polars(self) -> Any:
        """A `polars.DataFrame`."""
        import polars

        return polars.DataFrame({name: self[name] for name in self.columns})

    def save(self, path: str | Path) -> None:
        """Writes the columns: `.csv` with units in the head, in those units, or `.npz` in SI."""
        path = Path(path)
        if path.suffix == ".npz":
            columns: dict[str, Any] = {name: self[name] for name in self.columns}
            np.savez_compressed(path, **columns)
        elif path.suffix == ".csv":
            shown = [self.shown(name).tolist() for name in self.columns]
            with path.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(f"{c.name} [{c.unit}]" for c in self._columns)
                writer.writerows(zip(*shown, strict=True))
        else:
            raise ValueError(f"`{path.name}` ends neither in .csv nor in .npz")

    def plot(self, *names: str) -> Figure:
        """A line plot of columns of one unit over the time; notebooks show it."""
        units = {self.unit(name) for name in names}
        if len(units) != 1:
            raise ValueError(f"a plot has one unit, and these columns have {len(units)}")
        curves = [(name, self.shown(name)) for name in names]
        return Figure(_cardan.line_plot(self.t, curves, ", ".join(names), units.pop()))

    def _page(self) -> str:
        """All states and outputs, one plot for each unit."""
        groups: dict[str, list[str]] = {}
        for column in self._columns[1:]:
            if not column.name.startswith(("energy.", "work.")):
                groups.setdefault(column.unit, []).append(column.name)
        figures = "".join(self.plot(*names) for names in groups.values())
        said = html.escape(f"{self.reason} {self.energy.verdict}")
        return f"<p>{html.escape(repr(self))}</p><p>{said}</p>{figures}"

    def show(self) -> None:
        """Opens a page of plots in the browser; a cell that ends with the motion shows it."""
        head = '<!doctype html><meta charset="utf-8"><title>cardan</title>'
        with tempfile.NamedTemporaryFile(
            "w", suffix=".html", delete=False, encoding="utf-8"
        ) as file:
            file.write(head + self._page())
        webbrowser.open(Path(file.name).as_uri())

    def _repr_html_(self) -> str:
        return self._page()


class Figure(str):
    """A picture as SVG."""

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: str | Path) -> None:
        """Writes the picture."""
        Path(path).write_text(self, encoding="utf-8")
