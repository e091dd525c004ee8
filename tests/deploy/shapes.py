"""The needed part of the schemas of compose and Kubernetes: which keys there may be, so that none is misspelt."""

from collections.abc import Iterator, Mapping
from typing import Any

ANY: dict[str, Any] = {"*": None}  # keys that are names of ours
ENVIRONMENT = {"*": None}
HEALTHCHECK = dict.fromkeys(("test", "interval", "timeout", "retries", "start_period"))
SERVICE = {
    **dict.fromkeys(
        ("image", "command", "init", "user", "read_only", "tmpfs", "cap_drop", "cap_add", "security_opt", "pids_limit",
         "mem_limit", "secrets", "networks", "stop_grace_period", "restart", "volumes", "ports", "shm_size")
    ),
    "build": dict.fromkeys(("context", "dockerfile")),
    "environment": ENVIRONMENT,
    "depends_on": {"*": {"condition": None}},
    "healthcheck": HEALTHCHECK,
}  # fmt: skip
COMPOSE: dict[str, Any] = {
    "name": None,
    "x-replica": SERVICE,
    "services": {"*": SERVICE},
    "networks": {"*": {"internal": None, "ipam": {"config": [{"subnet": None}]}}},
    "volumes": {"*": {}},
    "secrets": {"*": {"file": None}},
}

METADATA = {"name": None, "namespace": None, "labels": ANY, "annotations": ANY}
LABELS = {"matchLabels": ANY}
PROBE = {
    "httpGet": {"path": None, "port": None},
    **dict.fromkeys(("periodSeconds", "timeoutSeconds", "failureThreshold")),
}
CONTAINER = {
    **dict.fromkeys(("name", "image", "args")),
    "envFrom": [{"configMapRef": {"name": None}}],
    "env": [{"name": None, "value": None}],
    "ports": [{"name": None, "containerPort": None}],
    "startupProbe": PROBE,
    "livenessProbe": PROBE,
    "readinessProbe": PROBE,
    "lifecycle": {"preStop": {"exec": {"command": None}}},
    "resources": {"requests": {"cpu": None, "memory": None}, "limits": {"memory": None}},
    "securityContext": {
        "allowPrivilegeEscalation": None, "readOnlyRootFilesystem": None, "capabilities": {"drop": None},
    },
    "volumeMounts": [{"name": None, "mountPath": None, "readOnly": None}],
}  # fmt: skip
POD = {
    **dict.fromkeys(
        ("serviceAccountName", "automountServiceAccountToken", "enableServiceLinks", "terminationGracePeriodSeconds")
    ),
    "securityContext": {
        **dict.fromkeys(("runAsNonRoot", "runAsUser", "runAsGroup", "fsGroup")),
        "seccompProfile": {"type": None},
    },
    "topologySpreadConstraints": [
        {"maxSkew": None, "topologyKey": None, "whenUnsatisfiable": None, "labelSelector": LABELS}
    ],
    "containers": [CONTAINER],
    "volumes": [{"name": None, "emptyDir": {"sizeLimit": None}, "secret": {"secretName": None, "defaultMode": None}}],
}
PEERS = [{"namespaceSelector": LABELS, "podSelector": LABELS}]
PORTS = [{"protocol": None, "port": None}]
KINDS: Mapping[str, Mapping[str, Any]] = {
    "Namespace": {},
    "ConfigMap": {"data": ANY},
    "ServiceAccount": {"automountServiceAccountToken": None},
    "Deployment": {
        "spec": {
            "replicas": None,
            "minReadySeconds": None,
            "strategy": {"type": None, "rollingUpdate": {"maxUnavailable": None, "maxSurge": None}},
            "selector": LABELS,
            "template": {"metadata": {"labels": ANY}, "spec": POD},
        }
    },
    "Service": {"spec": {"selector": ANY, "ports": [{"name": None, "port": None, "targetPort": None}]}},
    "Ingress": {
        "spec": {
            "ingressClassName": None,
            "tls": [{"hosts": None, "secretName": None}],
            "rules": [{"host": None, "http": {"paths": [{"path": None, "pathType": None, "backend": {
                "service": {"name": None, "port": {"name": None}}}}]}}],
        }
    },
    "PodDisruptionBudget": {"spec": {"minAvailable": None, "selector": LABELS}},
    "NetworkPolicy": {
        "spec": {
            "podSelector": LABELS,
            "policyTypes": None,
            "ingress": [{"from": PEERS, "ports": PORTS}],
            "egress": [{"to": PEERS, "ports": PORTS}],
        }
    },
    "HorizontalPodAutoscaler": {
        "spec": {
            "scaleTargetRef": {"apiVersion": None, "kind": None, "name": None},
            "minReplicas": None,
            "maxReplicas": None,
            "metrics": [{"type": None, "resource": {"name": None, "target": {
                "type": None, "averageUtilization": None}}}],
            "behavior": {"scaleDown": {"stabilizationWindowSeconds": None}},
        }
    },
}  # fmt: skip
VERSIONS = {
    "Namespace": "v1", "ConfigMap": "v1", "ServiceAccount": "v1", "Service": "v1", "Deployment": "apps/v1",
    "Ingress": "networking.k8s.io/v1", "NetworkPolicy": "networking.k8s.io/v1", "PodDisruptionBudget": "policy/v1",
    "HorizontalPodAutoscaler": "autoscaling/v2",
}  # fmt: skip


def strangers(value: Any, shape: Any, place: str = "") -> Iterator[str]:
    """Each key that its place does not know; None: anything that is no mapping."""
    if isinstance(shape, list):
        if not isinstance(value, list):
            yield f"{place} is no list"
            return
        for number, each in enumerate(value):
            yield from strangers(each, shape[0], f"{place}[{number}]")
    elif isinstance(shape, dict):
        if not isinstance(value, dict):
            yield f"{place} is no mapping"
            return
        for key, each in value.items():
            if key not in shape and "*" not in shape:
                yield f"{place}.{key}"
            else:
                yield from strangers(each, shape.get(key, shape.get("*")), f"{place}.{key}")
    elif isinstance(value, dict):
        yield f"{place} is a mapping"


def of_kubernetes(document: dict[str, Any]) -> Iterator[str]:
    """What is wrong with a manifest: its kind, its version, its keys."""
    kind = document["kind"]
    if VERSIONS.get(kind) != document["apiVersion"]:
        yield f"{kind} is not of {document['apiVersion']}"
    yield from strangers(
        document, {"apiVersion": None, "kind": None, "metadata": METADATA, **KINDS.get(kind, {})}, kind
    )
