"""What rust-analyzer must be told of a Cargo project when no registry can be reached: a `rust-project.json`.

    python -m benchmarks.truth.rust_projects CHECKOUT CRATES STD_LIBRARY [--wanted]

CRATES is a folder with the sources of other crates, `name-version/Cargo.toml` (Debian's librust-*-dev packages hold
many of them; --wanted prints the names that are still missing). Every feature of the project's own crates is on.
"""

import json
import os
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

UNSTABLE = ("nightly", "unstable", "docs", "loom", "bench", "simd", "rustc-dep")
TARGET = [
    "unix", "debug_assertions", "target_thread_local", 'target_os="linux"', 'target_family="unix"', 'target_env="gnu"',
    'target_arch="x86_64"', 'target_pointer_width="64"', 'target_endian="little"', 'panic="unwind"',
    *(f'target_has_atomic="{size}"' for size in ("8", "16", "32", "64", "ptr")), 'target_feature="sse2"',
]  # fmt: skip
OWN = ["test", "tokio_unstable"]
SINGLE_FILES = {"bin": "src/bin", "test": "tests", "example": "examples", "bench": "benches"}

Json = dict[str, Any]


@dataclass(slots=True)
class Unit:
    """One crate: a root file, and the names of what it uses."""

    root: Path
    manifest: Json
    folder: Path
    is_own: bool
    is_library: bool
    name: str
    uses: dict[str, str] = field(default_factory=dict)
    """Name in the code to the name of the library's package."""
    tries: dict[str, str] = field(default_factory=dict)
    """The same for tests, where it makes no circle."""


def read_manifest(path: Path) -> Json:
    return tomllib.loads(path.read_text(errors="replace"))


def dependencies(manifest: Json, section: str) -> dict[str, str]:
    """Name in the code to package."""
    found: dict[str, str] = {}
    tables = [manifest.get(section, {})]
    tables += [each.get(section, {}) for each in manifest.get("target", {}).values()]
    for table in tables:
        for alias, value in table.items():
            package = value.get("package", alias) if isinstance(value, dict) else alias
            found[alias.replace("-", "_")] = package
    return found


def units_of(folder: Path, *, is_own: bool) -> Iterator[Unit]:
    manifest = read_manifest(folder / "Cargo.toml")
    package = manifest.get("package")
    if not package:
        return
    uses = dependencies(manifest, "dependencies")
    tries = dependencies(manifest, "dev-dependencies") if is_own else {}
    library = manifest.get("lib", {})
    root = folder / library.get("path", "src/lib.rs")
    called = library.get("name", package["name"]).replace("-", "_")
    if root.exists():
        yield Unit(root, manifest, folder, is_own, True, package["name"], uses, tries)
    if not is_own:
        return
    with_library = {**uses, **tries, **({called: package["name"]} if root.exists() else {})}
    for place in _programs(folder, manifest):
        yield Unit(place, manifest, folder, True, False, f"{package['name']}:{place.stem}", with_library)
    if (folder / "build.rs").exists():
        build = dependencies(manifest, "build-dependencies")
        yield Unit(folder / "build.rs", manifest, folder, True, False, f"{package['name']}:build", build)


def _programs(folder: Path, manifest: Json) -> list[Path]:
    found = [folder / "src/main.rs"]
    for section, place in SINGLE_FILES.items():
        found += [folder / each["path"] for each in manifest.get(section, []) if "path" in each]
        found += sorted((folder / place).glob("*.rs")) + sorted((folder / place).glob("*/main.rs"))
    return [path for path in dict.fromkeys(found) if path.exists()]


def all_units(checkout: Path, crates: Path) -> tuple[list[Unit], set[str]]:
    """The project's crates and what they need, and the names that are missing."""
    own = [path.parent for path in sorted(checkout.rglob("Cargo.toml")) if "target" not in path.parts]
    units = [unit for folder in own for unit in units_of(folder, is_own=True)]
    known = {unit.name for unit in units if unit.is_library}
    places: dict[str, Path] = {}
    for path in sorted(crates.glob("*/Cargo.toml")):
        places[read_manifest(path)["package"]["name"]] = path.parent
    workspace = _renamed_in_workspace(own)
    missing: set[str] = set()
    waiting = [name for unit in units for name in (*unit.uses.values(), *unit.tries.values())]
    while waiting:
        name = waiting.pop()
        name = workspace.get(name, name)
        if name in known or name in missing:
            continue
        if name not in places:
            missing.add(name)
            continue
        known.add(name)
        for unit in units_of(places[name], is_own=False):
            units.append(unit)
            waiting += unit.uses.values()
    for unit in units:
        unit.uses = {alias: workspace.get(name, name) for alias, name in unit.uses.items()}
        unit.tries = {alias: workspace.get(name, name) for alias, name in unit.tries.items()}
    return units, missing


def _renamed_in_workspace(folders: list[Path]) -> dict[str, str]:
    renamed: dict[str, str] = {}
    for folder in folders:
        table = read_manifest(folder / "Cargo.toml").get("workspace", {}).get("dependencies", {})
        renamed |= {
            alias: each["package"] for alias, each in table.items() if isinstance(each, dict) and "package" in each
        }
    return renamed


def project(units: list[Unit], library: Path) -> Json:
    number = {unit.name: index for index, unit in enumerate(units) if unit.is_library}
    edges: list[dict[str, int]] = [{} for _ in units]
    for kind in ("uses", "tries"):
        for index, unit in enumerate(units):
            for alias, name in getattr(unit, kind).items():
                target = number.get(name)
                if target is not None and alias not in edges[index] and not _reaches(edges, target, index):
                    edges[index][alias] = target
    return {"sysroot_src": str(library), "crates": [_crate(unit, edges[index]) for index, unit in enumerate(units)]}


def _reaches(edges: list[dict[str, int]], start: int, goal: int) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        if here == goal:
            return True
        fresh = set(edges[here].values()) - seen
        seen |= fresh
        waiting += fresh
    return False


def _crate(unit: Unit, uses: dict[str, int]) -> Json:
    package = unit.manifest["package"]
    features = [*unit.manifest.get("features", {}), *_optional(unit.manifest)]
    kept = features if unit.is_own else [each for each in features if not any(word in each for word in UNSTABLE)]
    edition = package.get("edition", "2015")
    return {
        "display_name": unit.name.replace("-", "_").replace(":", "_"),
        "root_module": str(unit.root),
        "edition": edition if isinstance(edition, str) else "2021",
        "deps": [{"crate": index, "name": alias} for alias, index in uses.items()],
        "cfg": [*TARGET, *(OWN if unit.is_own else []), *(f'feature="{each}"' for each in dict.fromkeys(kept))],
        "is_workspace_member": unit.is_own,
        "is_proc_macro": False,
        "env": {
            "CARGO_PKG_NAME": package["name"],
            "CARGO_PKG_VERSION": "0.0.0",
            "CARGO_MANIFEST_DIR": str(unit.folder),
        },
        "source": {"include_dirs": [str(unit.folder)], "exclude_dirs": [str(unit.folder / "target")]},
    }


def _optional(manifest: Json) -> list[str]:
    return [
        name
        for name, each in manifest.get("dependencies", {}).items()
        if isinstance(each, dict) and each.get("optional")
    ]


def prepare_rust(folder: Path) -> None:
    """Tell rust-analyzer of a folder; the crates and the standard library are where the environment says."""
    units, _ = all_units(folder, Path(os.environ["RUST_CRATES"]))
    (folder / "rust-project.json").write_text(json.dumps(project(units, Path(os.environ["RUST_STD_LIBRARY"]))))


def main() -> None:
    checkout, crates, library = (Path(each).resolve() for each in sys.argv[1:4])
    units, missing = all_units(checkout, crates)
    if "--wanted" in sys.argv:
        print("\n".join(sorted(missing)))
        return
    (checkout / "rust-project.json").write_text(json.dumps(project(units, library)))
    print(f"{len(units)} crates, {sum(unit.is_own for unit in units)} of them its own; missing: {len(missing)}")


if __name__ == "__main__":
    main()
