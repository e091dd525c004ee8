"""The keys of compose and Kubernetes that our files use, so that none is misspelt or of another kind's version."""

from collections.abc import Iterator
from typing import Any

# fmt: off
COMPOSE_KEYS = frozenset((
    "name", "x-replica", "services", "networks", "volumes", "secrets", "internal", "ipam", "config", "subnet", "file",
    "image", "command", "init", "user", "read_only", "tmpfs", "cap_drop", "cap_add", "security_opt", "pids_limit",
    "mem_limit", "stop_grace_period", "restart", "ports", "shm_size", "build", "context", "dockerfile", "environment",
    "depends_on", "condition", "healthcheck", "test", "interval", "timeout", "retries", "start_period",
))
KUBERNETES_KEYS = frozenset((
    "apiVersion", "kind", "metadata", "name", "namespace", "labels", "annotations", "data", "spec",
    "automountServiceAccountToken", "replicas", "minReadySeconds", "strategy", "type", "rollingUpdate",
    "maxUnavailable", "maxSurge", "selector", "template", "matchLabels", "serviceAccountName", "enableServiceLinks",
    "terminationGracePeriodSeconds", "securityContext", "runAsNonRoot", "runAsUser", "runAsGroup", "fsGroup",
    "seccompProfile", "topologySpreadConstraints", "maxSkew", "topologyKey", "whenUnsatisfiable", "labelSelector",
    "containers", "image", "args", "envFrom", "configMapRef", "env", "value", "ports", "containerPort", "startupProbe",
    "livenessProbe", "readinessProbe", "httpGet", "path", "port", "periodSeconds", "timeoutSeconds",
    "failureThreshold", "lifecycle", "preStop", "exec", "command", "resources", "requests", "limits", "cpu", "memory",
    "allowPrivilegeEscalation", "readOnlyRootFilesystem", "capabilities", "drop", "volumeMounts", "mountPath",
    "readOnly", "volumes", "emptyDir", "sizeLimit", "secret", "secretName", "defaultMode", "targetPort",
    "ingressClassName", "tls", "hosts", "rules", "host", "http", "paths", "pathType", "backend", "service",
    "minAvailable", "podSelector", "namespaceSelector", "policyTypes", "ingress", "egress", "from", "to", "protocol",
    "scaleTargetRef", "minReplicas", "maxReplicas", "metrics", "resource", "target", "averageUtilization", "behavior",
    "scaleDown", "stabilizationWindowSeconds",
))
NAMED_BY_US = frozenset((
    "services", "networks", "volumes", "secrets", "environment", "depends_on", "labels", "annotations", "data",
    "matchLabels",
))
"""Keys whose own keys are names that we chose."""
VERSIONS = {
    "Namespace": "v1", "ConfigMap": "v1", "ServiceAccount": "v1", "Service": "v1", "Deployment": "apps/v1",
    "Ingress": "networking.k8s.io/v1", "NetworkPolicy": "networking.k8s.io/v1", "PodDisruptionBudget": "policy/v1",
    "HorizontalPodAutoscaler": "autoscaling/v2",
}
# fmt: on


def strangers(value: Any, known: frozenset[str], place: str = "") -> Iterator[str]:
    """Each key that is not known, with its place; the keys of labels and of a service's selector are names of ours."""
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from strangers(each, known, f"{place}[{number}]")
    elif isinstance(value, dict):
        is_named = place.rpartition(".")[2] in NAMED_BY_US or place == "Service.spec.selector"
        for key, each in value.items():
            if not is_named and key not in known:
                yield f"{place}.{key}"
            yield from strangers(each, known, f"{place}.{key}")


def of_kubernetes(document: dict[str, Any]) -> Iterator[str]:
    """What is wrong with a manifest: its kind, its version, its keys."""
    kind = document["kind"]
    if VERSIONS.get(kind) != document["apiVersion"]:
        yield f"{kind} is not of {document['apiVersion']}"
    yield from strangers(document, KUBERNETES_KEYS, kind)
