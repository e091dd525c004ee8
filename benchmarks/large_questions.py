"""What questions to a served large project cost: the first one after a start, and the median of later ones.

    python -m benchmarks.large_questions FOLDER --set linux

FOLDER holds the project, which `fieldguide index` has indexed before (with the same FIELDGUIDE_STATE, if it is set).
"""

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

from benchmarks import report
from benchmarks.process_usage import cpu_seconds, resident_bytes
from benchmarks.report import Goal
from benchmarks.stdio_client import ServerError, StdioClient

QUIET_SECONDS = 1.0
MOST_WAITED = 300.0
MOST_FIRST_SECONDS = 1.0
MOST_MILLISECONDS = {"guide_search": 60.0, "guide_symbol": 30.0, "guide_brief": 300.0}
# fmt: off
SUBJECTS = {
    "linux": (
        "how does the scheduler pick the next task to run", "where is a page fault handled on x86",
        "allocate blocks for a file in ext4", "which function sends a tcp segment again after a timeout",
        "read copy update grace period detection", "how are inodes written back to disk",
        "where does the kernel decide which process to kill when memory is low", "spi controller message queue",
        "map a user page for direct memory access", "how is an interrupt handed to a thread",
        "parse the command line of the kernel", "load a module and resolve its symbols",
        "lock dependency validator reports a circular dependency", "find a free inode number in btrfs",
        "seccomp filter is run on system call entry", "usb device is enumerated after it was plugged in",
        "verify an instruction of a bpf program", "throttle a cgroup that used up its cpu quota",
        "migrate a page between numa nodes", "how does splice move data between pipes",
        "regulator voltage is changed by cpufreq", "decode an nfs reply", "split a bio that is too large",
        "register a network device", "check the permission of a file with access control lists",
        "suspend the machine to memory", "thermal zone trip point was crossed", "amdgpu ring buffer submission",
        "wake up the tasks that wait on a futex", "compress a page into zswap", "report a kasan slab out of bounds",
        "netfilter hook drops a packet", "i2c transfer with a message array", "virtio queue kick",
        "kvm exit reason is handled", "userspace reads an input event",
    ),
    "kubernetes": (
        "how does the scheduler pick a node for a pod", "where are pods evicted when memory is low",
        "garbage collection of unused images", "which code renews a lease for leader election",
        "admission webhook is called with an object", "how is a service account token signed",
        "kubelet syncs the status of a pod", "horizontal pod autoscaler computes the desired replicas",
        "attach a volume to a node", "how are endpoints sliced", "convert an object between api versions",
        "watch cache serves a list from memory", "rate limit of a client", "priority and fairness of requests",
        "drain a node with kubectl", "apply a patch with server side apply", "proxy rules for iptables",
        "taint a node that is not ready", "preempt pods of lower priority", "job controller counts failed pods",
        "expand a persistent volume claim", "encrypt secrets at rest", "audit log of a request",
        "container runtime interface client", "device plugin registers with the kubelet", "cron schedule is parsed",
        "pod topology spread constraints", "quota of a namespace is exceeded", "rollback of a deployment",
        "finalizers keep an object from being deleted", "open api schema is published",
        "certificate signing request is approved", "readiness probe fails", "cpu manager assigns exclusive cores",
        "mount a config map as a volume", "validate a custom resource definition",
    ),
}
NAMES = {
    "linux": (
        "pick_next_task_fair", "handle_mm_fault", "ext4_mb_new_blocks", "tcp_retransmit_skb", "rcu_gp_kthread",
        "wb_writeback", "oom_badness", "spi_sync", "dma_map_sg_attrs", "irq_thread", "parse_args", "load_module",
        "print_circular_bug", "btrfs_get_free_objectid", "seccomp_run_filters", "hub_port_connect", "do_check",
        "throttle_cfs_rq", "migrate_pages", "splice_to_pipe", "regulator_set_voltage", "xdr_inline_decode",
        "bio_split", "register_netdev", "posix_acl_permission", "enter_state", "task_struct", "list_head", "kmalloc",
        "printk", "spin_lock", "sk_buff", "inode", "page", "mutex_lock", "container_of",
    ),
    "kubernetes": (
        "ScheduleOne", "evictionManager", "imageGCManager", "LeaderElector", "dispatcher", "JWTTokenGenerator",
        "syncPod", "HorizontalController", "AttachVolume", "EndpointSlice", "Convert", "Cacher", "RateLimiter",
        "PriorityLevelConfiguration", "DrainCmdOptions", "NewPatcher", "Proxier", "NoExecuteTaintManager",
        "Preempt", "syncJob", "ExpandController", "EnvelopeEncrypter", "Pod", "PodSpec", "Context", "Informer",
        "Run", "New", "ObjectMeta", "Validate", "ListOptions", "String", "DeepCopy", "Errorf", "Client", "Interface",
    ),
}
# fmt: on


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large_questions", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("project", type=Path, metavar="FOLDER")
    parser.add_argument("--set", choices=SUBJECTS, required=True, dest="of", help="which questions are asked")
    parser.add_argument("--only", nargs="+", choices=MOST_MILLISECONDS, default=[*MOST_MILLISECONDS])
    options = parser.parse_args()
    command = [sys.executable, "-m", "fieldguide", "serve", "--project", str(options.project)]
    rows: list[list[str]] = []
    goals: list[Goal] = []
    with StdioClient(command, environment=os.environ) as client:
        client.initialize()
        client.notify_initialized()
        for place in ("first after the start", "second"):
            seconds, cpu = ask(client, "context_search", SUBJECTS[options.of][place == "second"])
            rows.append([f"context_search, {place}", f"{seconds * 1e3:.0f}", "", f"{cpu * 1e3:.0f}"])
            if place != "second":
                goals.append(Goal("first question after a start, s", "the clock", "at most", 1.0, seconds))
        wait_until_quiet(client)
        for tool in options.only:
            figures = [ask(client, tool, each) for each in (NAMES if tool == "guide_symbol" else SUBJECTS)[options.of]]
            walls, cpus = ([each[part] * 1e3 for each in figures] for part in (0, 1))
            p50 = statistics.median(walls)
            p95 = report.percentile(walls, 0.95)
            rows.append([tool, f"{p50:.0f}", f"{p95:.0f}", f"{statistics.median(cpus):.0f}"])
            goals.append(Goal(f"{tool}, p50, ms", "the clock", "at most", MOST_MILLISECONDS[tool], p50))
        memory = resident_bytes(client.pid) / 2**20
    print(f"{options.project.name}, {len(SUBJECTS[options.of])} questions of each, server {memory:.0f} MiB")
    print(report.describe_machine())
    print(report.format_table(["what", "p50 ms", "p95 ms", "CPU p50 ms"], rows))
    print(report.format_goals(goals))
    return 0


def ask(client: StdioClient, tool: str, what: str) -> tuple[float, float]:
    """Seconds by the clock, and of processor time, for one question; one that has no answer counts as well."""
    key = {"guide_symbol": "name", "guide_brief": "task"}.get(tool, "query")
    before, started = cpu_seconds(client.pid), time.perf_counter()
    try:
        client.request("tools/call", {"name": tool, "arguments": {key: what}})
    except ServerError as error:
        print(f"{tool} {what!r}: {str(error)[:200]}", file=sys.stderr)
    return time.perf_counter() - started, cpu_seconds(client.pid) - before


def wait_until_quiet(client: StdioClient) -> None:
    """Until the server has used next to nothing for a while: it looks at the tree after its start."""
    until = time.monotonic() + MOST_WAITED
    quiet = 0
    while quiet < 3 and time.monotonic() < until:
        before = cpu_seconds(client.pid)
        time.sleep(QUIET_SECONDS)
        quiet = quiet + 1 if cpu_seconds(client.pid) - before < QUIET_SECONDS / 20 else 0


if __name__ == "__main__":
    raise SystemExit(main())
