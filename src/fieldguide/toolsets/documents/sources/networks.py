"""Which addresses lie on the public internet: everything else belongs to this machine, its network or its cloud.

The ranges are those of the IANA registries for special purposes. They stand here in full: what `ipaddress` calls global
differs between the patch levels of Python.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

NOT_PUBLIC_4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # behind a carrier's translation; clouds keep services there
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # Azure's services for its machines
        "169.254.0.0/16",  # link-local, with the metadata of most clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocols
        "192.0.2.0/24",  # examples
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # measurements
        "198.51.100.0/24",  # examples
        "203.0.113.0/24",  # examples
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
PUBLIC_6 = IPv6Network("2000::/3")
NOT_PUBLIC_6 = tuple(
    IPv6Network(text)
    for text in (
        "2001::/23",  # protocols, with Teredo
        "2001:db8::/32",  # examples
        "2002::/16",  # 6to4, which hides any IPv4 address
        "3fff::/20",  # examples
    )
)
TRANSLATED = IPv6Network("64:ff9b::/96")  # how a network of IPv6 alone names every host of IPv4


def read_address(text: str) -> Address | None:
    """The address that a text spells in the one usual way, with or without brackets and zone; None for all else."""
    plain = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    try:
        return unwrapped(ip_address(plain.partition("%")[0]))
    except ValueError:
        return None


def read_network(text: str) -> Network | None:
    """The network that a text spells, or the one of a single address; None for all else."""
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def unwrapped(address: Address) -> Address:
    """The address that packets really go to: an IPv4 address may stand inside one of IPv6."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def is_public(address: Address) -> bool:
    """Whether an address is one of the public internet."""
    real = unwrapped(address)
    if isinstance(real, IPv4Address):
        return not any(real in network for network in NOT_PUBLIC_4)
    return real in PUBLIC_6 and not any(real in network for network in NOT_PUBLIC_6)
