"""A client for Carillon, a self-hosted push notification server. The types of bodies and replies are in `carillon_client.types`."""

from ._user_token import sign_user_token
from .client import AsyncCarillon, Carillon
from .errors import ApiError, CarillonError, NoReplyError
from .pages import async_pages, pages

__all__ = [
    "ApiError",
    "AsyncCarillon",
    "Carillon",
    "CarillonError",
    "NoReplyError",
    "async_pages",
    "pages",
    "sign_user_token",
]
