"""Mechanical systems from a short text: equations of motion, simulation, analyses, code.

>>> import cardan
>>> model = cardan.compile('''
... gravity = -9.81 [m/s^2] * N.z
... particle bob on N by revolute(y, q = phi) { mass = 1 [kg]; center = (0, 0, -1) [m] }
... start { phi = 30 [deg] }
... ''')
>>> motion = model.run(to=2)
>>> round(float(motion["phi"].max()), 4)
0.5236

All numbers are in SI units. A model never changes: `Model.set` gives another one.
"""

from cardan._cardan import ModelError, TextError, quantity
from cardan.analyses import Check, Equilibrium, Linear, Mode, Modes
from cardan.findings import Finding, Place
from cardan.model import Model, Parameter, Quantity, check, compile, load
from cardan.motion import Energy, Event, Figure, Motion
from cardan.session import Session
from cardan.stepper import Stepper
from cardan.sweep import Lost

__all__ = [
    "Check",
    "Energy",
    "Equilibrium",
    "Event",
    "Figure",
    "Finding",
    "Linear",
    "Lost",
    "Mode",
    "Model",
    "ModelError",
    "Modes",
    "Motion",
    "Parameter",
    "Place",
    "Quantity",
    "Session",
    "Stepper",
    "TextError",
    "check",
    "compile",
    "load",
    "quantity",
]
