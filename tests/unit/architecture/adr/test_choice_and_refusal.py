"""What a record chose and what it turned down, in the forms that people write: by name, in passing, in a list."""

import pytest

from fieldguide.toolsets.architecture.adr import Alignment
from fieldguide.toolsets.architecture.decisions import read_record

STATE = read_record(
    "002-state.md",
    "---\ntitle: State management\nstatus: accepted\n---\n## Decision\n"
    "Server state lives in TanStack Query; client state in Zustand. We do not use Redux.\n",
)
STYLING = read_record(
    "003-css.md",
    "# 3. Styling\n\nStatus: accepted\n\n## Options\n1. Tailwind CSS\n2. CSS Modules\n3. styled-components\n\n"
    "## Decision outcome\nCSS Modules. Runtime CSS-in-JS is ruled out because of its cost on low-end phones.\n",
)
BROWSER_TESTS = read_record(
    "005-e2e.md",
    "# 5. End-to-end tests with Playwright\n\n## Status\n\nAccepted. Replaces our use of Cypress.\n\n## Decision\n\n"
    "We will write end-to-end tests with Playwright. Cypress will be removed by Q3.\n",
)
STATIC = read_record(
    "006-ssr.md",
    "# 6. No server-side rendering\n\n- Status: accepted\n\n## Decision\n\nThe app is static and served from a CDN. "
    "We do not run Node servers in production; Next.js and Remix were turned down.\n",
)
REACT = read_record(
    "001-react.md",
    "# Use React with TypeScript\n\n## Status\nAccepted\n\n## Decision\n"
    "We use React 18 with TypeScript in strict mode. Plain JavaScript files are not allowed in src.\n",
)
FLAGS = read_record(
    "0008-feature-flags.md",
    "Title: Feature flags by OpenFeature\nStatus: Accepted (2024-10-02)\n\n"
    "We were using environment variables to switch features. This needed deployments.\n\n"
    "We decided to use the OpenFeature SDK. LaunchDarkly was considered and rejected because of its price per seat.\n",
)
PAST = read_record(
    "0009-flags.md",
    "# Feature flags\n\n## Context\n\nWe were using environment variables to switch features.\n\n"
    "## Decision\n\nWe will use the OpenFeature SDK.\n",
)
REST = read_record(
    "0004-rest.md",
    "# REST for the public API\n\n* Status: accepted\n\n## Considered Options\n\n* REST with OpenAPI\n* GraphQL\n\n"
    '## Decision Outcome\n\nChosen option: "REST with OpenAPI", because partners know it.\n',
)
SDK = read_record(
    "0005-sdk.md",
    "# Use the official SDK for HTTP\n\n## Considered Options\n\n* Our own wire\n"
    "* The official SDK for HTTP, with its own tool handling\n* The official SDK for HTTP over our protocol module\n\n"
    '## Decision Outcome\n\nChosen option: "The official SDK for HTTP over our protocol module".\n',
)
MODULES = read_record(
    "0007-monolith.md",
    "# 7. Stay a modular monolith\n\nStatus: Proposed\n\n## Decision\n\nWe keep one deployable with modules. "
    "No new microservices until a module needs its own scaling.\n\n"
    "## Consequences\n\nModules must not read each other's tables.\n",
)
RECORDS = read_record(
    "0001-record.md",
    "# 1. Record architecture decisions\n\n## Status\n\nAccepted\n\n## Decision\n\n"
    "We will use Architecture Decision Records, as described by Michael Nygard.\n",
)
PEOPLE = read_record("0013-people.md", "# Fetch only what a person asks for\n\n## Decision\n\nPeople type a command.\n")
ORDERS = read_record(
    "0002-postgresql.md",
    "# 2. Use PostgreSQL for order data\n\n## Status\n\nAccepted\n\n## Decision\n\n"
    "We will store all order data in PostgreSQL 15. We will not use MongoDB or any other document store for it.\n",
)
SESSIONS = read_record(
    "0005-sessions.md",
    "# ADR 5: Session handling\n\n| Status | Date | Owner |\n| --- | --- | --- |\n"
    "| Accepted | 2023-09-01 | Security |\n\n"
    "**Decision**: Browser sessions are opaque ids in an HttpOnly cookie, kept in Redis.\n\n"
    "**Rejected**: stateless JWT sessions; OAuth implicit flow.\n",
)
CACHE = read_record(
    "0010-cache.md",
    "# Cache\n\n## Considered Options\n\n* Redis\n* Memcached\n\n## Decision Outcome\n\nChosen option: Redis.\n",
)


def label(decision, proposal):
    found = Alignment([decision], None).check(proposal).related
    return found[0].alignment if found else "not listed"


@pytest.mark.parametrize(
    ("decision", "proposal"),
    [
        (STATE, "Use Redux Toolkit for the shopping cart"),
        (STYLING, "Use Tailwind CSS for the admin page"),
        (STYLING, "Use styled-components"),
        (BROWSER_TESTS, "Write the checkout e2e tests with Cypress"),
        (STATIC, "Use Next.js"),
        (STATIC, "Migrate to Next.js for SEO"),
        (STATIC, "Adopt Remix for routing"),
        (REACT, "Turn off TypeScript strict mode"),
        (FLAGS, "Adopt LaunchDarkly for feature flags"),
        (FLAGS, "Switch features by environment variables"),
        (PAST, "Switch features by environment variables"),
        (REST, "Offer a GraphQL endpoint for the mobile apps next to the REST API"),
        (MODULES, "Let the reporting module read the billing tables directly"),
        (MODULES, "Extract billing into its own microservice"),
        (RECORDS, "Stop writing ADRs"),
        (PEOPLE, "Fetch documentation from the web when an agent asks"),
        (ORDERS, "Use MongoDB for orders"),
        (SESSIONS, "Use stateless JWT sessions"),
        (CACHE, "Use Memcached for thumbnails, beside Redis"),
    ],
)
def test_what_was_turned_down_in_any_form_conflicts(decision, proposal):
    assert label(decision, proposal) == "conflicts"


@pytest.mark.parametrize(
    ("decision", "proposal"),
    [
        (STATE, "Use Zustand for the cart state"),
        (STATE, "Use Zustand for UI state"),
        (SDK, "Use the official MCP SDK to serve HTTP"),
        (SESSIONS, "Keep sessions in Redis behind an opaque cookie"),
        (FLAGS, "Use the OpenFeature SDK for the checkout flags"),
        (STYLING, "Style the header with CSS Modules"),
        (BROWSER_TESTS, "Migrate the Cypress tests to Playwright"),
    ],
)
def test_what_the_record_chose_supports_it(decision, proposal):
    assert label(decision, proposal) == "supports"


@pytest.mark.parametrize(
    ("decision", "proposal"),
    [
        (ORDERS, "Page order lists with offset and limit"),
        (ORDERS, "Export order data as CSV every night"),
        (ORDERS, "Use Elasticsearch for order search"),
        (REACT, "Write the build scripts in JavaScript"),
    ],
)
def test_a_word_in_common_is_no_purpose_in_common(decision, proposal):
    assert label(decision, proposal) != "conflicts"


def test_a_record_that_has_a_name_of_the_proposal_is_listed():
    assert label(ORDERS, "Describe to newcomers how somebody might once run MongoDB locally") != "not listed"


def test_a_conflict_is_described_once_and_without_the_callers_own_words():
    told = Alignment([STATE], None).check("Use Redux Toolkit for the shopping cart")

    assert told.conflicts[0].conflict_description == (
        "Rejected what the proposal takes: “We do not use Redux” (line 6)."
    )
    assert "Toolkit" not in told.related[0].reason


def test_a_longer_proposal_is_quoted_by_the_sentence_that_conflicts():
    told = Alignment([STATE], None).check("Rework the cart. Use Redux for it, because the team knows it.")

    assert "The proposal: “" in told.related[0].reason


def test_a_record_superseded_by_nobody_is_not_to_be_marked_again():
    record = read_record(
        "0001-ci.md", "# Use Jenkins for CI\n\n## Status\n\nSuperseded\n\n## Decision\n\nWe use Jenkins for CI.\n"
    )

    told = Alignment([record], None).check("Use GitHub Actions instead of Jenkins for CI")

    assert told.related[0].alignment == "conflicts"
    assert told.suggestions == ("ADR 1 is marked superseded, but names no successor: find what took its place.",)


def test_no_conflict_found_is_not_said_to_be_agreement():
    told = Alignment([ORDERS], None).check("Export order data as CSV every night")

    assert told.suggestions == ("No conflict was found. Read ADR 2 before you decide.",)


def test_a_table_with_a_header_gives_the_cell_below():
    assert (SESSIONS.status, SESSIONS.date) == ("accepted", "2023-09-01")


def test_a_table_of_keys_and_values_is_read_by_its_row():
    record = read_record("1-a.md", "# Use Redis\n\n| Status | Rejected |\n| --- | --- |\n| Date | 2024-01-01 |\n")

    assert record.status == "rejected"


def test_lines_before_the_text_give_title_and_status():
    assert (FLAGS.title, FLAGS.status) == ("Feature flags by OpenFeature", "accepted")
    assert FLAGS.decision[0].text.startswith("We decided to use the OpenFeature SDK")
    assert FLAGS.decision[0].first_line == 6


def test_a_label_in_bold_opens_its_section_on_the_same_line():
    assert SESSIONS.decision[0].text.startswith("Browser sessions are opaque ids")
    assert [option.text for option in SESSIONS.rejected] == ["stateless JWT sessions", "OAuth implicit flow"]
