from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.app_app_routes_item_route import (
    AppAppRoutesItemRoute,
    check_app_app_routes_item_route,
)

if TYPE_CHECKING:
    from ..models.app_app_routes_item_pause_type_0 import AppAppRoutesItemPauseType0


T = TypeVar("T", bound="AppAppRoutesItem")


@_attrs_define
class AppAppRoutesItem:
    """
    Attributes:
        route (AppAppRoutesItemRoute):
        has_devices (bool): Whether devices are reached on it. A sample of a thousand devices answers this, so very few
            among millions may be missed; of `apns_sandbox` none is.
        has_credentials (bool):
        is_proven (bool): Whether a push has been accepted with these credentials.
        pause (AppAppRoutesItemPauseType0 | None): Why nothing is sent on it at present.
    """

    route: AppAppRoutesItemRoute
    has_devices: bool
    has_credentials: bool
    is_proven: bool
    pause: AppAppRoutesItemPauseType0 | None

    def to_dict(self) -> dict[str, Any]:
        from ..models.app_app_routes_item_pause_type_0 import AppAppRoutesItemPauseType0

        route: str = self.route

        has_devices = self.has_devices

        has_credentials = self.has_credentials

        is_proven = self.is_proven

        pause: dict[str, Any] | None
        if isinstance(self.pause, AppAppRoutesItemPauseType0):
            pause = self.pause.to_dict()
        else:
            pause = self.pause

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "route": route,
                "has_devices": has_devices,
                "has_credentials": has_credentials,
                "is_proven": is_proven,
                "pause": pause,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.app_app_routes_item_pause_type_0 import AppAppRoutesItemPauseType0

        d = dict(src_dict)
        route = check_app_app_routes_item_route(d.pop("route"))

        has_devices = d.pop("has_devices")

        has_credentials = d.pop("has_credentials")

        is_proven = d.pop("is_proven")

        def _parse_pause(data: object) -> AppAppRoutesItemPauseType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                pause_type_0 = AppAppRoutesItemPauseType0.from_dict(data)

                return pause_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(AppAppRoutesItemPauseType0 | None, data)

        pause = _parse_pause(d.pop("pause"))

        app_app_routes_item = cls(
            route=route,
            has_devices=has_devices,
            has_credentials=has_credentials,
            is_proven=is_proven,
            pause=pause,
        )

        return app_app_routes_item
