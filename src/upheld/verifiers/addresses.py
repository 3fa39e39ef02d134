"""Which network addresses a verifier may be sent to. A name is judged by where it leads, never by how it is spelled.

    public    anywhere on the internet
    private   this machine and private networks; only for a verifier that says so
    never     what no system of record lives behind: link-local (where clouds keep credentials), multicast, transition
              forms that hide another address, and what is reserved

Unknown means never. The table follows IANA's special-purpose registries, because what `ipaddress` calls global
differs between versions of Python.
"""

from __future__ import annotations

import ipaddress
from enum import StrEnum
from typing import TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


class Reach(StrEnum):
    """Where an address leads."""

    PUBLIC = "public"
    PRIVATE = "private"
    NEVER = "never"


def _networks(listed: str) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(each) for each in listed.split())


# Addresses of machines that hand out credentials, though their networks are private or public: AWS over IPv6,
# Alibaba Cloud, Azure. All others are link-local.
_CREDENTIALS = _networks("fd00:ec2::254/128 100.100.100.200/32 168.63.129.16/32")
_PRIVATE = _networks("10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.168.0.0/16 ::1/128 fc00::/7")
_RESERVED = _networks(
    "0.0.0.0/8 169.254.0.0/16 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24"
    " 224.0.0.0/3 2001::/23 2001:db8::/32 2002::/16 3fff::/20"
)
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def reach(address: str) -> Reach:
    """Where a numeric address leads.

    >>> [reach(each).value for each in ("1.1.1.1", "10.0.0.1", "169.254.169.254", "::ffff:10.0.0.1")]
    ['public', 'private', 'never', 'never']
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return Reach.NEVER
    if _is_in(found, _CREDENTIALS):
        return Reach.NEVER
    if _is_in(found, _PRIVATE):
        return Reach.PRIVATE
    if _is_in(found, _RESERVED):
        return Reach.NEVER
    if found.version == 4 or found in _GLOBAL_V6:
        return Reach.PUBLIC
    if found in _NAT64:
        # Networks without IPv4 reach the rest of the internet through these.
        inner = reach(str(ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)))
        return Reach.PUBLIC if inner is Reach.PUBLIC else Reach.NEVER
    return Reach.NEVER


def _is_in(address: Address, networks: tuple[Network, ...]) -> bool:
    return any(address in network for network in networks)
