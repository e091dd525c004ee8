"""Commit messages in the styles that people write, labelled with what a reader would keep a year later.

A label is the kinds that a reader would accept and words that the finding must hold. Examples without one are
commits that hold nothing worth keeping. Only messages are labelled; decision records and rule books have own tests.
"""

from typing import NamedTuple


class Label(NamedTuple):
    """A finding that a reader would agree on."""

    types: str
    words: str


class Example(NamedTuple):
    """A commit message and what it holds."""

    style: str
    message: str
    labels: tuple[Label, ...] = ()


KERNEL = (
    Example(
        "kernel",
        """mm/slub: fix double free in kmem_cache_shrink_all()

        When two CPUs shrink the same cache at once, both take the first slab of the
        partial list, because the list lock is dropped before the slab is unlinked.
        The second one then frees memory that is already gone.

        Unlink the slab while the lock is held.

        Fixes: 9a4e2f1b7c33 ("mm/slub: shrink caches in parallel")
        Reported-by: Ann Author <ann@example.com>
        Signed-off-by: Bob Builder <bob@example.com>
        """,
        (Label("issue", "both take the first slab"),),
    ),
    Example(
        "kernel",
        """net: ipv4: don't send redirects on unnumbered links

        An unnumbered link has no address of its own, so the redirect carried the
        address of another interface and hosts cached a route that does not exist.

        Fixes: 1f0a9bc77d21 ("net: ipv4: unnumbered links")
        Signed-off-by: Carla Coder <carla@example.com>
        """,
        (Label("issue|decision", "don't send redirects on unnumbered links"),),
    ),
    Example(
        "kernel",
        """drm/panel: Add support for the Orion OT1201 panel

        This patch adds a driver for the 12.1 inch 1280x800 panel of Orion.

        Signed-off-by: Dan Driver <dan@example.com>
        """,
    ),
    Example(
        "kernel",
        """Revert "block: merge plugged requests across queues"

        This reverts commit 4be2a0cc19dd7b2ac3f4d3b7f4b9ac5a2f7e1d0c.

        It causes a 12% regression in random reads on NVMe drives with more than
        eight queues.

        Link: https://example.com/r/1
        Signed-off-by: Eve Engineer <eve@example.com>
        """,
        (Label("decision|issue", "regression in random reads"),),
    ),
    Example(
        "kernel",
        """locking/rwsem: document who may call downgrade_write()

        Callers must hold the semaphore for writing. downgrade_write() must never be
        called from interrupt context.

        Signed-off-by: Frank Fixer <frank@example.com>
        """,
        (Label("rule", "must hold the semaphore"), Label("rule", "never be called from interrupt context")),
    ),
    Example(
        "kernel",
        """usb: gadget: f_fs: remove unused variable

        The variable 'ret' is set but never used. Remove it.

        Signed-off-by: Gina Gadget <gina@example.com>
        """,
    ),
    Example(
        "kernel",
        """MAINTAINERS: update my e-mail address

        The old one will stop working at the end of the month.

        Signed-off-by: Hans Host <hans@example.com>
        """,
    ),
    Example(
        "kernel",
        """i2c: tegra: use a threaded interrupt handler

        Recovering a stuck bus takes up to 10 ms. Do it in a thread, because the hard
        interrupt handler blocked the audio interrupt for that long.

        Signed-off-by: Ida Input <ida@example.com>
        """,
        (Label("decision", "blocked the audio interrupt"),),
    ),
    Example(
        "kernel",
        """tools/perf: refactor the symbol loader

        Move the parsing of ELF notes into a function of its own. No functional change.

        Signed-off-by: Jan Joiner <jan@example.com>
        """,
    ),
)
CONVENTIONAL = (
    Example("conventional", "chore(deps): bump lodash from 4.17.20 to 4.17.21"),
    Example("conventional", "style: run prettier on everything"),
    Example("conventional", "test(api): cover the empty cart"),
    Example("conventional", "ci: cache the pnpm store"),
    Example("conventional", "feat(ui): add dark mode toggle to the settings page (#482)"),
    Example("conventional", "docs: fix broken links in the getting started guide"),
    Example("conventional", "chore(release): 2.4.0 [skip ci]"),
    Example("conventional", "refactor(core): extract the parser into its own file"),
    Example(
        "conventional",
        """fix(auth): reject expired refresh tokens

        The expiry was compared in local time while the token holds UTC, so tokens lived two hours longer in summer.

        Closes #311
        """,
        (Label("issue", "compared in local time"),),
    ),
    Example(
        "conventional",
        """feat(storage)!: store amounts as integers of cents

        Floats lose cents when many small amounts are summed.

        BREAKING CHANGE: `amount` is now an integer number of cents; clients must multiply by 100.
        """,
        (Label("decision|rule", "integer number of cents"), Label("decision", "store amounts as integers of cents")),
    ),
    Example(
        "conventional",
        """refactor(http): switch from axios to fetch

        Node 18 has fetch built in, and axios pulled in 14 packages just to set a header.
        """,
        (Label("decision", "switch from axios to fetch"),),
    ),
    Example(
        "conventional",
        """perf(search): cache compiled patterns

        We decided to keep at most 256 of them: more than that and the cache itself showed up in heap profiles.
        """,
        (Label("decision", "keep at most 256"),),
    ),
    Example("conventional", "fix: lint errors"),
    Example("conventional", "fix(tests): flaky checkout test"),
    Example("conventional", "fix(player): crash when the playlist is empty", (Label("issue", "playlist is empty"),)),
    Example(
        "conventional",
        """revert: feat(cache): share one cache between workers

        Workers overwrote each other's entries because keys did not hold the tenant.

        This reverts commit 77ab01f2c4.
        """,
        (Label("decision|issue", "keys did not hold the tenant"),),
    ),
    Example(
        "conventional",
        """build: pin openssl to 1.1.1

        3.0 rejects the certificates of our oldest customers because they are signed with SHA-1.
        """,
        (Label("decision", "signed with SHA-1"),),
    ),
    Example("conventional", "feat!: drop support for Node 14", (Label("decision", "drop support for Node 14"),)),
)
SQUASH = (
    Example(
        "squash",
        """Validate webhooks before queueing them (#1203)

        * add signature check
        * fix tests
        * address review comments

        Co-authored-by: Kim <kim@example.com>
        """,
    ),
    Example(
        "squash",
        """Fix deadlock between the indexer and the vacuum job (#871)

        * Reproduce in a test
        * Both jobs take the table lock and the advisory lock, but in a different order, which leads to a deadlock.
        * wip

        ---------

        Co-authored-by: Lee <lee@example.com>
        """,
        (Label("issue", "in a different order"),),
    ),
    Example(
        "squash",
        """Move uploads to presigned URLs (#990)

        ## Why

        Uploads went through the API, which ran out of memory due to buffering whole videos.

        ## What

        - new endpoint
        - client uses it
        """,
        (Label("decision", "buffering whole videos"),),
    ),
    Example("squash", "Update README.md (#12)"),
    Example("squash", "Bump the npm group across 1 directory with 5 updates (#2041)"),
    Example(
        "squash", "Add CSV export to the reports page (#640)\n\n* Add button\n* Add endpoint\n* Translate the label"
    ),
    Example(
        "squash",
        """Never retry payments automatically (#555)

        A retry after a timeout charged customers twice, because the provider had accepted the first request.
        """,
        (Label("rule|decision|issue", "Never retry payments"),),
    ),
    Example(
        "squash",
        """Use UUIDv7 for all new tables instead of serial ids (#733)

        Serial ids leaked how many customers we have, and we can't merge shards since their ids collide.

        From now on every new table gets a UUIDv7 primary key.
        """,
        (Label("decision", "leaked how many customers|Use UUIDv7"), Label("rule|decision", "every new table")),
    ),
    Example("squash", "Fix CI (#88)\n\n* try\n* try again\n* pin runner"),
)
PLAIN = (
    Example("plain", "wip"),
    Example("plain", "Fix typo in error message"),
    Example("plain", "Merge branch 'main' into feature/login"),
    Example("plain", "Version 1.4.2"),
    Example("plain", "address review comments"),
    Example("plain", "Add a page about backups"),
    Example("plain", "Rename Foo to Bar\n\nIt was always meant to be called Bar."),
    Example("plain", "Remove dead code\n\nNobody calls it. It must have been forgotten when the old importer went."),
    Example(
        "plain",
        """Decode request bodies lazily

        Most handlers never look at the body. This makes the common case 30% faster.
        """,
    ),
    Example(
        "plain",
        """Keep sessions in Redis, not in memory

        With two web servers behind the balancer users were logged out at random because each server only knew its own
        sessions. We went with Redis rather than sticky sessions since deploys restart one server at a time.
        """,
        (
            Label("decision|issue", "each server only knew its own"),
            Label("decision", "Redis rather than sticky sessions"),
        ),
    ),
    Example(
        "plain",
        """Fix the nightly export

        It didn't run on the first of the month because cron was given day 0. Root cause: the settings page counts days
        from zero.
        """,
        (Label("issue", "cron was given day 0"), Label("issue", "counts days from zero")),
    ),
    Example(
        "plain",
        "Stop under the lock, so that nothing is stopped after its end",
        (Label("decision", "so that nothing is stopped"),),
    ),
    Example(
        "plain",
        """Search the project's documents: one engine, eight tools

        A real markdown parser, chunks that follow headings, FTS5 words and exact vectors fused, an index that is kept
        up to date beside the calls. SQLite keeps the index in a file of its own, so that it never holds up what users
        write.
        """,
        (Label("decision", "a file of its own"),),
    ),
    Example("plain", "Tell the figures of this commit"),
    Example("plain", "Install the interop clients where a registry lacks other platforms' builds"),
    Example("plain", "Describe broken limits by one table"),
    Example(
        "plain",
        """Open files relative to the project

        Convention: every path in a configuration file is relative to that file, not to the working directory.
        """,
        (Label("pattern|rule", "relative to that file"),),
    ),
    Example(
        "plain",
        """Log the tenant with every query

        Never log the query's arguments: they hold names and addresses of patients.
        """,
        (Label("rule", "Never log the query's arguments"),),
    ),
    Example(
        "plain",
        """Import prices in batches of 500

        Known limitation: a batch that fails is not retried; run the import again.
        We use one transaction for each batch to keep the locks short.
        """,
        (
            Label("issue", "batch that fails is not retried"),
            Label("pattern|decision", "one transaction for each batch"),
        ),
    ),
    Example(
        "plain",
        """Back out the new scheduler

        It starved low-priority jobs whenever the queue was never empty, which is always the case in production.
        The old one is not fair either, but predictable.
        """,
        (Label("decision|issue", "starved low-priority jobs"),),
    ),
    Example("plain", "Make the sidebar a bit wider"),
    Example("plain", "Fixed it"),
    Example("plain", "Clean up imports\n\nThey were unsorted since the linter was switched off."),
    Example("plain", "Update translations from Weblate"),
    Example("plain", "Upgrade to Django 4.2\n\nSee the release notes. Some imports had to be changed."),
    Example(
        "plain",
        """Work around a bug in Safari 15 that drops the last SSE event

        Send a comment line after each event; Safari only delivers an event when the next line arrives.
        """,
        (Label("issue|decision", "Safari 15"),),
    ),
)
# In the manner of what the rules got wrong in histories that they had not been written for. Some they still get wrong.
HARD = (
    Example("hard", "Switch the Docker image of the runner to Debian 12"),
    Example(
        "hard",
        """doc: install the cross-reference databases

        Each book or article must generate a database containing the anchors that other documents refer to.
        """,
    ),
    Example(
        "hard",
        """generator: support parametrized structs

        The current implementation was not made for this. So I decided to go with the flow and to do what fits best.
        """,
    ),
    Example("hard", "man: fix wrong parameter in the grab pages\n\nThe function doesn't provide a cursor argument."),
    Example("hard", "Fix leak in the helper\n\nIt only happens on error conditions, so it's not too bad."),
    Example("hard", "Add a private field to the overlay file\n\nWe need to list it there so that we can link."),
    Example("hard", "Use a template function instead of a template struct for Null"),
    Example(
        "hard",
        """Check submodules before running autoconf

        Exit early with an informative message if the submodules are missing, since they are needed.
        """,
    ),
    Example(
        "hard",
        """uri: make the handling of vendor attributes reliable

        Duplicate attributes are not allowed so far, while the RFC allows them.
        """,
    ),
    Example(
        "hard",
        """Fix the long-standing memory range bug

        Without this fix the arbiter's descriptor would overwrite the one of the memory ranges, which would then be
        changed on the wrong device.
        """,
        (Label("issue", "would overwrite the one of the memory ranges"),),
    ),
    Example(
        "hard",
        """Don't use wchar_t for storing unicode characters

        On Windows it is only 2 bytes, which breaks our UTF-8 conversion functions.
        """,
        (Label("decision|rule|issue", "only 2 bytes"),),
    ),
    Example(
        "hard",
        """fix tiny leak in read_packet (it happens only when malloc returns NULL, so it's very rare)
        """,
        (Label("issue", "only when malloc returns NULL"),),
    ),
)
EXAMPLES = KERNEL + CONVENTIONAL + SQUASH + PLAIN + HARD
