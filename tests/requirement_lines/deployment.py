"""The lines of deployment (Z-240 to Z-269): how a service is set up, upgraded and held under load."""

# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "deployment": (
        ("Z-240", None,
         "The container file builds the server from the lock file, with hashes; each of its steps that does not change "
         "the machine is run by a test as a plain command, and what comes out serves and answers its health check."),
        ("Z-241", None,
         "The container runs as a numbered user that is not root, writes only its state folder and the folder for "
         "temporary files, names its bases by exact versions, and holds no secret."),
        ("Z-242", None,
         "`deploy/compose` brings up PostgreSQL with pgvector, two replicas and a proxy with TLS: secrets are files, "
         "everything has a health check, and root file systems are read-only."),
        ("Z-243", None,
         "The systemd units serve on a unix socket behind a proxy, and systemd itself finds them in order and little "
         "exposed."),
        ("Z-244", None,
         "The Kubernetes manifests run two replicas or more that are spread, probed at `/healthz` and `/readyz`, "
         "drained before they end, never all taken away at once, and reached only by the proxy."),
        ("Z-245", None,
         "Every command, flag and setting that a file below `deploy/` names is one of this version."),
        ("Z-246", None,
         "A server of the version before starts and works on a PostgreSQL that a newer one has brought up to date, and "
         "beside it; one of two versions before is refused."),
        ("Z-247", None,
         "A step of the tables that has to wait for a reader gives way and is tried again: nobody waits behind it for "
         "longer than a moment."),
        ("Z-248", None,
         "Old and new replicas answer all the time on one database while the new one brings it up to date; both write, "
         "each sees what the other wrote, and nothing is lost."),
        ("Z-249", None,
         "A new step drops and renames nothing, adds no column that an older server would have to fill, rewrites no "
         "large table, and says why it may build an index while writers wait."),
        ("Z-250", None,
         "Under load of 64 official clients of 16 users in 4 projects through a balancer that cuts connections, with a "
         "replica killed and PostgreSQL restarted, two replicas give no wrong answer, show nothing of another project "
         "or user, and lose no acknowledged write."),
    ),
}
