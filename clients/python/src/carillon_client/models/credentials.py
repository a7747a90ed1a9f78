from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.credentials_credentials_item import CredentialsCredentialsItem
    from ..models.credentials_routes_item import CredentialsRoutesItem


T = TypeVar("T", bound="Credentials")


@_attrs_define
class Credentials:
    """
    Attributes:
        credentials (list[CredentialsCredentialsItem]):
        routes (list[CredentialsRoutesItem]):
    """

    credentials: list[CredentialsCredentialsItem]
    routes: list[CredentialsRoutesItem]

    def to_dict(self) -> dict[str, Any]:
        credentials = []
        for credentials_item_data in self.credentials:
            credentials_item = credentials_item_data.to_dict()
            credentials.append(credentials_item)

        routes = []
        for routes_item_data in self.routes:
            routes_item = routes_item_data.to_dict()
            routes.append(routes_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "credentials": credentials,
                "routes": routes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.credentials_credentials_item import CredentialsCredentialsItem
        from ..models.credentials_routes_item import CredentialsRoutesItem

        d = dict(src_dict)
        credentials = []
        _credentials = d.pop("credentials")
        for credentials_item_data in _credentials:
            credentials_item = CredentialsCredentialsItem.from_dict(
                credentials_item_data
            )

            credentials.append(credentials_item)

        routes = []
        _routes = d.pop("routes")
        for routes_item_data in _routes:
            routes_item = CredentialsRoutesItem.from_dict(routes_item_data)

            routes.append(routes_item)

        credentials = cls(
            credentials=credentials,
            routes=routes,
        )

        return credentials
