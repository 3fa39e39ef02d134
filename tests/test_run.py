"""The workshop script: what it installs, when it does not, and what it hands on."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from typing import TYPE_CHECKING

import pytest

from checkout import ROOT, Checkout

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    Finished = subprocess.CompletedProcess[str]


def load() -> ModuleType:
    loader = SourceFileLoader("workshop", str(ROOT / "run"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module, set up for a made-up tree with an environment that nothing is installed in."""
    module = load()
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements/core.txt").write_text("a==1\n")
    (tmp_path / "requirements/dev.txt").write_text("a==1\nb==2\n")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    module.venv_python().parent.mkdir(parents=True)
    module.venv_python().write_text("")
    (tmp_path / ".venv/pyvenv.cfg").write_text("version = 3.11.7\n")
    return module


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    if os.name == "nt":
        pytest.skip("the stand-ins are shell scripts")
    return Checkout(tmp_path)


def run(*arguments: str) -> Finished:
    command = [sys.executable, str(ROOT / "run"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


# --- what it says --------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",), ("help",)])
def test_help_lists_every_command(arguments: tuple[str, ...]) -> None:
    said = run(*arguments)
    listed = set(re.findall(r"^  (\w+) ", said.stdout, re.MULTILINE))
    assert said.returncode == 0
    assert listed == set(load().COMMANDS) == {"demo", "test", "check", "bench", "serve"}


def test_an_unknown_command_is_a_usage_error_that_names_it() -> None:
    said = run("dmeo")
    assert (said.returncode, said.stdout) == (2, "")
    assert "'dmeo'" in said.stderr
    assert "--help" in said.stderr


def test_serve_says_that_there_is_no_server() -> None:
    said = run("serve")
    assert said.returncode == 2
    assert "no server" in said.stderr


# --- when an environment counts as ready ---------------------------------------------------------


def installed(workshop: ModuleType, lock: str) -> None:
    workshop.stamp_file(lock).write_text(workshop.stamp(lock))


def test_an_environment_is_ready_until_what_it_was_made_from_changes(workshop: ModuleType) -> None:
    assert not workshop.is_ready("core")
    installed(workshop, "core")
    assert workshop.is_ready("core")


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("requirements/core.txt", "a==2\n"),
        ("pyproject.toml", "[project]\nname = 'x'\n"),
        (".venv/pyvenv.cfg", "version = 3.12.1\n"),
    ],
)
def test_a_changed_lock_project_or_python_is_installed_again(workshop: ModuleType, file: str, text: str) -> None:
    installed(workshop, "core")
    (workshop.ROOT / file).write_text(text)
    assert not workshop.is_ready("core")


def test_a_moved_checkout_is_installed_again(
    workshop: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(workshop, "core")
    moved = tmp_path.with_name(tmp_path.name + "-moved")
    shutil.copytree(tmp_path, moved)
    monkeypatch.setattr(workshop, "ROOT", moved)
    monkeypatch.setattr(workshop, "VENV", moved / ".venv")
    assert not workshop.is_ready("core")


def test_an_environment_whose_python_is_gone_is_not_ready(workshop: ModuleType) -> None:
    installed(workshop, "core")
    workshop.venv_python().unlink()
    assert not workshop.is_ready("core")


def test_development_tools_suffice_for_the_demo_and_not_the_other_way_round(workshop: ModuleType) -> None:
    installed(workshop, "dev")
    assert workshop.is_ready("core")
    workshop.stamp_file("dev").unlink()
    installed(workshop, "core")
    assert not workshop.is_ready("dev")


@pytest.mark.parametrize(
    "line", ["version = 3.11.7", "version_info = 3.11.7", "home = /x\nversion_info=3.11.7.final.0"]
)
def test_the_python_of_an_environment_is_read_from_its_note(workshop: ModuleType, line: str) -> None:
    (workshop.VENV / "pyvenv.cfg").write_text(line + "\n")
    assert workshop.venv_version() == (3, 11, 7)


# --- set-up --------------------------------------------------------------------------------------


def test_the_first_demo_installs_the_core_lock_and_the_second_installs_nothing(checkout: Checkout) -> None:
    first = checkout.run("demo", "--name", "two words")
    assert first.returncode == 0, first.stderr
    assert checkout.called("uv venv")
    assert checkout.called("uv pip install", "requirements/core.txt")
    assert checkout.called("uv pip install", "--no-deps", "-e")
    assert not checkout.called("dev.txt")
    assert checkout.calls[-1] == "python [-m] [upheld] [demo] [--name] [two words]"
    second = checkout.run("demo")
    assert checkout.calls == ["python [-m] [upheld] [demo]"]
    assert second.stderr == ""


def test_tests_after_a_demo_add_the_development_tools_to_the_same_environment(checkout: Checkout) -> None:
    checkout.run("demo")
    checkout.run("test")
    assert checkout.called("uv pip install", "requirements/dev.txt")
    assert not checkout.called("uv venv")
    checkout.run("demo")
    assert not checkout.called("uv")


def test_a_set_up_cut_short_is_done_again(checkout: Checkout) -> None:
    assert checkout.run("demo", FAILING="--no-deps:1").returncode == 1
    assert not checkout.called("[-m] [upheld]")
    assert checkout.run("demo").returncode == 0
    assert checkout.called("--no-deps")
    assert checkout.called("[-m] [upheld]")


def test_a_demo_on_another_branch_does_not_leave_the_tools_stamped_as_they_were(checkout: Checkout) -> None:
    project = checkout.root / "pyproject.toml"
    checkout.run("test")
    project.write_text("# another branch\n")
    checkout.run("demo")
    project.write_text("")
    checkout.run("test")
    assert checkout.called("requirements/dev.txt")


def test_an_installer_that_gets_no_answer_is_told_apart_from_one_that_fails(checkout: Checkout) -> None:
    no_answer = checkout.run("demo", FAILING=" install --:1", SAYING="error: dns error")
    assert no_answer.returncode == 1
    assert "dns error" in no_answer.stderr
    assert "PIP_INDEX_URL" in no_answer.stderr
    shutil.rmtree(checkout.root / ".venv")
    other = checkout.run("demo", FAILING=" install --:1", SAYING="error: hash mismatch")
    assert other.returncode == 1
    assert "hash mismatch" in other.stderr
    assert "PIP_INDEX_URL" not in other.stderr


def without(monkeypatch: pytest.MonkeyPatch, workshop: ModuleType, *names: str) -> None:
    """Hide programs and modules from the script."""
    find_program, find_module = shutil.which, importlib.util.find_spec
    monkeypatch.setattr(workshop.shutil, "which", lambda name: None if name in names else find_program(name))
    monkeypatch.setattr(workshop.importlib.util, "find_spec", lambda name: None if name in names else find_module(name))


def test_the_pip_of_the_environment_goes_before_the_pip_of_the_machine(
    workshop: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, workshop, "uv")
    monkeypatch.setattr(workshop.importlib.util, "find_spec", lambda name: name)
    target = str(workshop.venv_python())
    [machine] = workshop.found_installers()
    assert machine[:5] == [sys.executable, "-m", "pip", "--python", target]
    (workshop.VENV / "lib/python3.11/site-packages/pip").mkdir(parents=True)
    assert [installer[0] for installer in workshop.found_installers()] == [target, sys.executable]


def test_without_any_installer_the_error_names_what_to_install(
    workshop: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, workshop, "uv", "pip")
    with pytest.raises(workshop.SetupFailed, match="python3-pip"):
        workshop.install("anything")


def test_an_environment_is_made_without_ensurepip(
    workshop: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without(monkeypatch, workshop, "uv", "ensurepip")
    shutil.rmtree(workshop.VENV)
    workshop.make_venv()
    asked = [str(workshop.venv_python()), "-c", "import sys; print(sys.prefix != sys.base_prefix)"]
    assert subprocess.check_output(asked, text=True).strip() == "True"
    assert not any(workshop.VENV.glob("lib/python*/site-packages/pip"))
    assert workshop.venv_version() == sys.version_info[:3]


def test_an_environment_with_an_old_python_is_refused_and_kept(workshop: ModuleType) -> None:
    (workshop.VENV / "pyvenv.cfg").write_text("version = 3.9.2\n")
    with pytest.raises(workshop.SetupFailed, match=r"3\.9\.2; remove \.venv"):
        workshop.prepare("core")
    assert workshop.venv_python().exists()


def test_an_old_python_is_told_which_one_is_needed(workshop: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workshop.sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(workshop.shutil, "which", lambda name: None)
    with pytest.raises(workshop.SetupFailed, match=r"3\.9\.2.*3\.11 or later"):
        workshop.require_python()


def test_pips_settings_reach_uv_unless_uv_has_its_own(workshop: ModuleType) -> None:
    given = {"PIP_INDEX_URL": "mirror", "PIP_CERT": "bundle", "UV_DEFAULT_INDEX": "chosen", "HOME": "/home/x"}
    passed = workshop.tool_environment(given)
    assert passed == given | {"SSL_CERT_FILE": "bundle"}
    del given["UV_DEFAULT_INDEX"]
    assert workshop.tool_environment(given)["UV_DEFAULT_INDEX"] == "mirror"


@pytest.mark.parametrize("name", ["PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT"])
def test_settings_that_would_install_elsewhere_are_left_out(workshop: ModuleType, name: str) -> None:
    assert workshop.tool_environment({name: "x", "PIP_RETRIES": "1"}) == {"PIP_RETRIES": "1"}


# --- tests and checks ----------------------------------------------------------------------------

CHECKS = ("[ruff] [check]", "[ruff] [format] [--check]", "[mypy]", "importlinter")


def test_test_runs_every_check_and_then_pytest(checkout: Checkout) -> None:
    done = checkout.run("test")
    assert done.returncode == 0
    assert [any(check in call for call in checkout.calls) for check in CHECKS] == [True] * 4
    assert checkout.calls[-1].startswith("python [-m] [pytest] [--cov] [-n] [")
    assert "all passed" in done.stderr


@pytest.mark.parametrize(("cores", "workers"), [(None, "1"), (1, "1"), (2, "2"), (4, "4"), (64, "4")])
def test_the_whole_suite_runs_on_all_cores_and_at_most_four(
    workshop: ModuleType, monkeypatch: pytest.MonkeyPatch, cores: int | None, workers: str
) -> None:
    called: list[tuple[str, ...]] = []
    installed(workshop, "dev")
    monkeypatch.setattr(workshop.os, "cpu_count", lambda: cores)
    monkeypatch.setattr(workshop, "python", lambda *arguments: called.append(arguments) or 0)
    monkeypatch.chdir(workshop.ROOT)
    assert workshop.test([]) == 0
    assert f"pytest --cov -n {workers} --dist" in " ".join(called[-1])


def test_test_with_arguments_is_pytest_with_these_arguments_alone(checkout: Checkout) -> None:
    checkout.run("check")
    checkout.run("test", "-k", "old or new", "tests/test_run.py")
    assert checkout.calls == ["python [-m] [pytest] [-k] [old or new] [tests/test_run.py]"]


def test_check_runs_no_test(checkout: Checkout) -> None:
    assert checkout.run("check").returncode == 0
    assert all(checkout.called(check) for check in CHECKS)
    assert not checkout.called("[pytest]")


@pytest.mark.parametrize("failing", ["ruff check", "ruff format", "mypy", "importlinter"])
def test_a_failing_check_fails_the_whole_and_hides_no_other_result(checkout: Checkout, failing: str) -> None:
    done = checkout.run("test", FAILING=f"{failing}:1")
    assert done.returncode == 1
    assert all(checkout.called(check) for check in CHECKS)
    assert checkout.called("[pytest]")
    assert "failed: " in done.stderr
    assert checkout.run("check", FAILING=f"{failing}:1").returncode == 1


@pytest.mark.parametrize("status", [1, 5])
@pytest.mark.parametrize("script", ["run", ".ci/run"])
def test_failing_tests_and_a_run_without_tests_fail(checkout: Checkout, script: str, status: int) -> None:
    arguments = ["test"] if script == "run" else []
    assert checkout.run(*arguments, script=script, FAILING=f"-m pytest:{status}").returncode == status
    assert checkout.run(*arguments, script=script).returncode == 0
