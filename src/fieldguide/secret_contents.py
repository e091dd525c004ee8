"""Files that are secrets by what stands in them, whatever they are called: private keys, and accounts of services."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PEM = b"-----BEGIN "
PRIVATE = (b"PRIVATE KEY-----", b"PRIVATE KEY BLOCK-----")
KEY_FILES = (b"PuTTY-User-Key-File-", b"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY", b"AGE-SECRET-KEY-1")
BEFORE_A_KEY = (b"#", b"Bag Attributes", b"Key Attributes", b"subject", b"issuer", b" ", b"\t")
MOST_LINES_BEFORE = 40
PUBLIC_BLOCKS = frozenset((
    b"CERTIFICATE", b"TRUSTED CERTIFICATE", b"X509 CERTIFICATE", b"CERTIFICATE REQUEST", b"NEW CERTIFICATE REQUEST",
    b"X509 CRL", b"PUBLIC KEY", b"RSA PUBLIC KEY", b"EC PUBLIC KEY", b"SSH2 PUBLIC KEY", b"PGP PUBLIC KEY BLOCK",
    b"PGP SIGNATURE", b"PKCS7", b"CMS", b"DH PARAMETERS", b"EC PARAMETERS", b"X9.42 DH PARAMETERS",
))  # fmt: skip
PUBLIC_LINES = (b"ssh-rsa ", b"ssh-ed25519 ", b"ssh-dss ", b"ecdsa-sha2-", b"sk-ssh-ed25519@", b"sk-ecdsa-sha2-")
LARGEST_ACCOUNT_BYTES = 1 << 16
ACCOUNTS = (
    (b'"type":"service_account"', b'"private_key":"-----BEGIN'),
    (b'"type":"authorized_user"', b'"refresh_token":"'),
)


def is_secret(content: bytes) -> bool:
    """Whether a file is a private key, a store that begins with certificates and holds one, or a service's account."""
    start = content[:4096].removeprefix(BYTE_ORDER_MARK).lstrip()
    if start.startswith((b"{", b"[")):
        return _is_account(content)
    if not any(mark in start for mark in (PEM, *KEY_FILES)):  # nearly every file there is
        return False
    first = _first_line(start)
    if first.startswith(PEM):
        return any(mark in content for mark in PRIVATE)
    return first.startswith(KEY_FILES)


def is_public(content: bytes) -> bool:
    """Whether a file named like a key holds certificates or public keys, and nothing else that is a key."""
    if any(mark in content for mark in PRIVATE):
        return False
    blocks = [part.partition(b"-----")[0] for part in content.split(PEM)[1:]]
    if blocks:
        return PUBLIC_BLOCKS.issuperset(blocks)
    lines = [line for line in content.splitlines() if line.strip() and not line.startswith(b"#")]
    return bool(lines) and all(line.startswith(PUBLIC_LINES) for line in lines)


def _first_line(start: bytes) -> bytes:
    """The first line that is not a remark; files with keys may begin with some."""
    for line in start.splitlines()[:MOST_LINES_BEFORE]:
        if line.strip() and not line.startswith(BEFORE_A_KEY):
            return line
    return b""


def _is_account(content: bytes) -> bool:
    if len(content) > LARGEST_ACCOUNT_BYTES or b'"type"' not in content:
        return False
    packed = b"".join(content.split())
    return any(all(mark in packed for mark in marks) for marks in ACCOUNTS)
