"""Texts, parameters, pickles, errors."""

import pickle
from pathlib import Path

import cardan
import numpy as np
import pytest
from cardan.__main__ import run_command
from conftest import PENDULUM

MODELS = Path(__file__).parents[2] / "models"


def test_what_a_model_tells(pendulum: cardan.Model) -> None:
    length = pendulum.parameters["L"]
    assert (length.value, length.unit, length.description) == (1.0, "m", "length")
    assert [state.name for state in pendulum.states] == ["phi", "der(phi)"]
    assert pendulum.states[0].unit == "rad"
    assert [output.name for output in pendulum.outputs] == ["height"]
    assert (pendulum.inputs, pendulum.bodies) == (["T"], ["bob"])
    assert "pendulum" in repr(pendulum)


def test_set_makes_another_model(pendulum: cardan.Model) -> None:
    longer = pendulum.set(L="200 [cm]", phi=0.1)
    assert longer.parameters["L"].value == 2.0 and pendulum.parameters["L"].value == 1.0
    assert longer.start()[0] == 0.1
    with pytest.raises(KeyError, match="is `L` meant"):
        pendulum.set(l=2)
    with pytest.raises(ValueError, match="not finite"):
        pendulum.set(L=float("nan"))


def test_a_pickle_moves_alike(pendulum: cardan.Model) -> None:
    longer = pendulum.set(L=2)
    again = pickle.loads(pickle.dumps(longer))
    assert np.array_equal(again.run().data, longer.run().data)


def test_a_mistake_has_its_place() -> None:
    wrong = PENDULUM.replace("1 [m]", "1 [kg]")
    with pytest.raises(cardan.TextError) as caught:
        cardan.compile(wrong, "wrong.mbs")
    error = caught.value
    assert isinstance(error, SyntaxError)
    assert error.filename == "wrong.mbs"
    assert error.lineno is not None and error.offset is not None and error.text
    assert error.diagnostics[0]["message"]
    findings = cardan.check(wrong)
    assert any(f.severity == "error" and f.places for f in findings)
    assert not [f for f in cardan.check(PENDULUM) if f.severity == "error"]


@pytest.mark.parametrize("text", ["body", "\0", "parameter", "gravity =", "{" * 50])
def test_no_text_ends_the_interpreter(text: str) -> None:
    with pytest.raises((cardan.TextError, ValueError)):
        cardan.compile(text).run(to=1)


def test_nothing_moves_in_an_empty_model() -> None:
    model = cardan.compile("")
    assert (model.states, len(model.rhs(0.0, [])), model.run(to=1).ending) == ([], 0, "finished")


def test_files_by_their_ending(tmp_path: Path) -> None:
    assert cardan.load(MODELS / "pendulum.mbs").name == "pendulum"
    urdf = tmp_path / "arm.urdf"
    urdf.write_text("""<robot name="arm"><link name="base"/><link name="rod"><inertial>
      <origin xyz="0 0 -1"/><mass value="1"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="pin" type="continuous"><parent link="base"/><child link="rod"/>
      <axis xyz="0 1 0"/></joint></robot>""")
    assert cardan.load(urdf).states
    with pytest.raises(FileNotFoundError):
        cardan.load(tmp_path / "none.mbs")
    with pytest.raises(ValueError, match="not a file"):
        cardan.load(tmp_path)


@pytest.mark.parametrize(
    ("file", "states"),
    [
        ("tests/robots/elbow.urdf", 4),
        ("tests/robots/four-bar.xml", 6),
        ("models/spacecraft.lsp", 20),
        ("tests/adams/robot.adm", 10),
    ],
)
def test_files_of_other_programs(file: str, states: int) -> None:
    model = cardan.load(MODELS.parent / file)
    assert len(model.states) == states
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.rhs(0, again.start()), model.rhs(0, model.start()))


def test_the_page_of_a_run_and_the_command(
    pendulum: cardan.Model, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page = pendulum.set(L=2).page(to=0.5)
    assert page.lstrip().lower().startswith("<!doctype html>") and len(page) > 100_000
    assert page._repr_html_().startswith('<iframe sandbox="allow-scripts"')
    text = tmp_path / "pendulum.mbs"
    text.write_text(PENDULUM)
    capfd.readouterr()
    assert run_command(["check", str(text)]) == 0
    assert run_command(["check", str(tmp_path / "none.mbs")]) != 0
    assert "none.mbs" in capfd.readouterr().err
    assert run_command(["--version"]) == 0 and "cardan" in capfd.readouterr().out


def test_imports_come_from_the_folder_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "rod.mbs").write_text(
        "subsystem rod { port base: frame; particle tip on base by revolute(y) { mass = 1 [kg] } }"
    )
    main = tmp_path / "two.mbs"
    main.write_text('import rod from "rod.mbs"\nrod left { base -> N }\n')
    assert [state.name for state in cardan.load(main).states][:1] == ["left.tip.q"]
    main.write_text('import rod from "../rod.mbs"\nrod left { base -> N }\n')
    with pytest.raises(cardan.TextError):
        cardan.load(main)
