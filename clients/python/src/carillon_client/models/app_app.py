from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.app_app_routes_item import AppAppRoutesItem


T = TypeVar("T", bound="AppApp")


@_attrs_define
class AppApp:
    """
    Attributes:
        bundle_id (str):
        name (str):
        routes (list[AppAppRoutesItem]): One entry per route.
    """

    bundle_id: str
    name: str
    routes: list[AppAppRoutesItem]

    def to_dict(self) -> dict[str, Any]:
        bundle_id = self.bundle_id

        name = self.name

        routes = []
        for routes_item_data in self.routes:
            routes_item = routes_item_data.to_dict()
            routes.append(routes_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "bundle_id": bundle_id,
                "name": name,
                "routes": routes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.app_app_routes_item import AppAppRoutesItem

        d = dict(src_dict)
        bundle_id = d.pop("bundle_id")

        name = d.pop("name")

        routes = []
        _routes = d.pop("routes")
        for routes_item_data in _routes:
            routes_item = AppAppRoutesItem.from_dict(routes_item_data)

            routes.append(routes_item)

        app_app = cls(
            bundle_id=bundle_id,
            name=name,
            routes=routes,
        )

        return app_app
