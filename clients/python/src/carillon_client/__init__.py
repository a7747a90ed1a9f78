"""A client for Carillon, a self-hosted push notification server.

The calls are in `carillon_client.api`, a module each; their bodies and replies in `carillon_client.models`.
"""

from .async_client import AsyncCarillon
from .client import Carillon
from .errors import ApiError, CarillonError, Fault, NoReplyError
from .pages import async_pages, pages
from .types import UNSET, Unset

__all__ = [
    "UNSET",
    "ApiError",
    "AsyncCarillon",
    "Carillon",
    "CarillonError",
    "Fault",
    "NoReplyError",
    "Unset",
    "async_pages",
    "pages",
]
