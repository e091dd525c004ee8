"""Compose, Kubernetes and systemd: files that are in order, and say what a service needs."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from release.facts import ROOT, read_facts
from tests.proves import proves

DEPLOY = ROOT / "deploy"
KUBERNETES = DEPLOY / "kubernetes"
EXACT = re.compile(r"\S+:\d+\.\d+\.\d+\S*")
SECRET_WORDS = re.compile(r"(password|token|secret)\s*[:=]\s*[\"']?[\w$]", re.IGNORECASE)


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def manifests() -> dict[str, Any]:
    """What `kubectl apply -k` applies, by kind."""
    listed = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text(encoding="utf-8"))["resources"]
    assert sorted(listed) == sorted(path.name for path in KUBERNETES.glob("*.yaml") if path.stem != "kustomization")
    documents = [each for name in listed for each in yaml.safe_load_all((KUBERNETES / name).read_text("utf-8"))]
    return {each["kind"]: each for each in documents}


@proves("Z-242")
def test_compose_brings_up_a_database_two_replicas_and_a_proxy(compose):
    services = compose["services"]
    replicas = [services[name] for name in services if name.startswith("fieldguide-")]

    assert set(services) == {"postgres", "fieldguide-1", "fieldguide-2", "proxy"}
    assert {each["image"] for each in replicas} == {f"fieldguide:{read_facts().version}"}
    assert len({each["volumes"][0] for each in replicas}) == 2
    for each in services.values():
        assert EXACT.fullmatch(each["image"])
        assert {"healthcheck", "stop_grace_period", "restart"} <= set(each)


@proves("Z-242")
def test_only_the_proxy_is_reached_from_outside_and_nobody_writes_what_runs(compose):
    services = compose["services"]
    replicas = [services[name] for name in services if name.startswith("fieldguide-")]

    assert all(each["read_only"] and each["cap_drop"] == ["ALL"] for each in (*replicas, services["proxy"]))
    assert all("ports" not in services[name] for name in services if name != "proxy")
    assert compose["networks"]["inside"]["internal"] is True


@proves("Z-242")
def test_secrets_of_compose_are_files_that_git_does_not_see(compose, tmp_path):
    shutil.copy(DEPLOY / "compose" / "secrets.sh", tmp_path)

    for _ in range(2):  # what is there stays
        subprocess.run(["/bin/sh", "secrets.sh"], cwd=tmp_path, check=True, capture_output=True, timeout=30)
        service = (tmp_path / "secrets" / "pg_service.conf").read_text()

    made = {path.relative_to(tmp_path).as_posix(): path for path in (tmp_path / "secrets").iterdir()}
    password = made["secrets/fieldguide_password"].read_text()
    assert {each["file"].removeprefix("./") for each in compose["secrets"].values()} == set(made)
    assert {path.stat().st_mode & 0o777 for path in made.values()} == {0o600}
    assert len(password) == 64
    assert f"password={password}\n" in service
    assert "secrets/" in (DEPLOY / "compose" / ".gitignore").read_text().split()


@proves("Z-242", "Z-243", "Z-244")
def test_no_file_holds_a_secret():
    files = [path for path in DEPLOY.rglob("*") if path.suffix in {".yaml", ".env", ".conf", ".service"}]
    told = [f"{path.name}: {line}" for path in files
            for line in path.read_text(encoding="utf-8").splitlines()
            if SECRET_WORDS.search(line) and not line.lstrip().startswith("#")]  # fmt: skip

    meant = ("_FILE: /run/secrets/", "secretName: ", "automountServiceAccountToken: false")
    assert [line for line in told if not any(each in line for each in meant)] == []


@proves("Z-244")
def test_replicas_are_probed_drained_and_never_all_away(manifests):
    spec = manifests["Deployment"]["spec"]
    pod = spec["template"]["spec"]
    [container] = pod["containers"]
    [before_end] = [int(word) for word in container["lifecycle"]["preStop"]["exec"]["command"][1:]]

    assert spec["replicas"] >= 2
    assert spec["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert pod["terminationGracePeriodSeconds"] > before_end + 30
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert pod["securityContext"]["runAsNonRoot"]


@proves("Z-244")
def test_a_budget_and_a_policy_are_of_the_same_pods(manifests):
    spec = manifests["Deployment"]["spec"]

    assert manifests["PodDisruptionBudget"]["spec"]["minAvailable"] >= 1
    assert manifests["HorizontalPodAutoscaler"]["spec"]["minReplicas"] >= 2
    assert manifests["NetworkPolicy"]["spec"]["policyTypes"] == ["Ingress", "Egress"]
    labels = [spec["selector"]["matchLabels"], manifests["Service"]["spec"]["selector"],
              manifests["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
              manifests["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"]]  # fmt: skip
    assert all(each == spec["template"]["metadata"]["labels"] for each in labels)


@proves("Z-244")
def test_what_machines_ask_is_not_for_everybody(manifests, compose):
    [rule] = manifests["Ingress"]["spec"]["rules"]
    proxies = [
        (DEPLOY / "compose" / "Caddyfile").read_text("utf-8"),
        (DEPLOY / "systemd" / "nginx.conf").read_text("utf-8"),
    ]

    assert {each["path"] for each in rule["http"]["paths"]} == {"/mcp", "/.well-known", "/healthz"}
    assert "@inside path /metrics /readyz\n\trespond @inside 404" in proxies[0]
    assert all(f"location = {path} {{ return 404; }}" in proxies[1] for path in ("/metrics", "/readyz"))


@proves("Z-244")
@pytest.mark.skipif(
    shutil.which("kubectl") is None, reason="kubectl puts the manifests together, where it is installed"
)
def test_kubectl_puts_the_manifests_together(manifests):
    done = subprocess.run(["kubectl", "kustomize", str(KUBERNETES)], capture_output=True, text=True, timeout=60)

    built = {each["kind"]: each for each in yaml.safe_load_all(done.stdout)}
    [container] = built["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert set(built) == set(manifests)
    assert container["image"] == f"fieldguide:{read_facts().version}"


def unit_lines() -> list[str]:
    return (DEPLOY / "systemd" / "fieldguide@.service").read_text(encoding="utf-8").splitlines()


@proves("Z-243")
def test_the_unit_is_hardened():
    lines = set(unit_lines())

    wanted = {"NoNewPrivileges=yes", "ProtectSystem=strict", "PrivateTmp=yes", "PrivateDevices=yes", "UMask=0077",
              "CapabilityBoundingSet=", "User=fieldguide", "RestrictNamespaces=yes", "ProtectKernelTunables=yes",
              "LoadCredential=pg_service.conf:/etc/fieldguide/pg_service.conf", "Restart=always"}  # fmt: skip
    assert wanted - lines == set()
    assert "upstream fieldguide" in (DEPLOY / "systemd" / "nginx.conf").read_text(encoding="utf-8")


@proves("Z-243")
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd looks at its units, where it is installed")
def test_systemd_finds_the_unit_in_order_and_little_exposed(tmp_path):
    unit = tmp_path / "fieldguide@1.service"
    unit.write_text("\n".join(unit_lines()).replace("/opt/fieldguide/bin/fieldguide", "/bin/true") + "\n")

    verified = analyzed("verify", "--man=no", str(unit))
    exposed = analyzed("security", "--offline=true", "--no-pager", "--threshold=20", str(unit))

    assert (verified.returncode, verified.stderr) == (0, "")
    assert exposed.returncode == 0, exposed.stdout[-300:]


def analyzed(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("path", sorted(DEPLOY.rglob("*.sh")), ids=lambda path: path.name)
def test_a_script_can_be_read_by_a_plain_shell(path: Path):
    done = subprocess.run(["/bin/sh", "-n", str(path)], capture_output=True, text=True, timeout=10)

    assert (done.returncode, done.stderr) == (0, "")
    assert path.read_text(encoding="utf-8").splitlines()[0] == "#!/bin/sh"
    assert "set -eu" in path.read_text("utf-8")
