"""What projects may be called and where they may come from: everything else is refused before it is kept."""

import pytest

from fieldguide.git.fetch import check_address, is_address, mask_address, open_address
from fieldguide.team.registry import check_branch, check_principal, check_project_name
from fieldguide.text.errors import Misconfiguration


@pytest.mark.parametrize(
    ("check", "names"),
    [
        (check_project_name, ["shop", "Shop-2", "a.b_c", "x" * 64]),
        (check_branch, ["main", "release/1.2", "größe", "a@b"]),
        (check_principal, ["ann", "ann@example.org", "auth0|12ab", "Ann Author"]),
    ],
)
def test_plain_names_branches_and_subjects_are_taken(check, names):
    assert [check(name) for name in names] == names


@pytest.mark.parametrize(
    "name",
    [
        "", ".", "..", "a/b", "a..b", "-a", "a-", "a b", "a%2fb", "ä", "a\n", "x" * 65, "a\x00", "ａ", "a?b", "a#b",
        "a--b",
    ],
)  # fmt: skip
def test_a_name_that_a_path_could_misread_is_none(name):
    with pytest.raises(Misconfiguration, match="can't be the name of a project"):
        check_project_name(name)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("https://example.org/team/shop.git", "https://example.org/team/shop.git"),
        ("https://ann:s3cret@example.org:8443/shop", "https://ann:s3cret@example.org:8443/shop"),
        ("ssh://git@example.org:2222/shop", "ssh://git@example.org:2222/shop"),
        ("git@example.org:team/shop.git", "ssh://git@example.org/team/shop.git"),
        ("file:///srv/git/shop.git", "file:///srv/git/shop.git"),
    ],
)
def test_the_usual_addresses_are_taken(written, kept):
    assert is_address(written)
    assert check_address(written) == kept


@pytest.mark.parametrize(
    "address",
    [
        "ext::sh -c touch% /tmp/x", "ext::https://example.org/x", "http://example.org/x", "git://example.org/x",
        "ftp://example.org/x", "HTTPS://example.org/x", "https://example.org", "https://-oProxyCommand=x/y",
        "ssh://-oProxyCommand=touch/y", "ssh://git@-host/y", "-x@host:path", "ssh://-x@host/path",
        "ssh://git:password@host/path", "file://host/path", "file:////", "https://example.org/a b",
        "https://example.org/a\nb", "https://example.org/a?upload-pack=x", "https://exa mple.org/a", "https://[::1/a",
        "--upload-pack=touch", "https://user@host@other/x", "https://example.org\\@evil.org/x",
        "https://" + "a" * 2000 + "/x",
    ],
)  # fmt: skip
def test_an_address_that_git_could_take_for_more_is_refused_without_repeating_it(address):
    with pytest.raises(Misconfiguration) as refused:
        check_address(address)

    assert address not in refused.value.message


def test_what_lets_somebody_in_is_a_header_and_shown_nowhere():
    address = "https://ann:s3%2Fcret@example.org/shop.git"

    found = open_address(address)

    assert found.address == "https://example.org/shop.git"
    assert found.authorization == "Authorization: Basic YW5uOnMzL2NyZXQ="
    assert mask_address(address) == "https://…@example.org/shop.git"
    assert mask_address("ssh://git@example.org/x") == "ssh://git@example.org/x"


@pytest.mark.parametrize(
    "branch",
    ["", "-x", "--upload-pack=x", "a..b", "a b", "a:b", "a^", "a~1", "/a", "a/", "a.lock", "@", "a@{1}", "a//b"],
)
def test_a_branch_that_git_could_take_for_more_is_refused(branch):
    with pytest.raises(Misconfiguration, match="name of a branch"):
        check_branch(branch)


@pytest.mark.parametrize("principal", ["", " ", " ann", "a\nb", "a\u202eb", "x" * 256, "a\x00"])
def test_a_principal_can_be_seen(principal):
    with pytest.raises(Misconfiguration, match="can't be a principal"):
        check_principal(principal)
