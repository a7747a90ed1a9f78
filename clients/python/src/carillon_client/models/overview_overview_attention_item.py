from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.overview_overview_attention_item_code import (
    OverviewOverviewAttentionItemCode,
    check_overview_overview_attention_item_code,
)
from ..models.overview_overview_attention_item_route_type_0 import (
    OverviewOverviewAttentionItemRouteType0,
    check_overview_overview_attention_item_route_type_0,
)

T = TypeVar("T", bound="OverviewOverviewAttentionItem")


@_attrs_define
class OverviewOverviewAttentionItem:
    """
    Attributes:
        code (OverviewOverviewAttentionItemCode):
        message (str): The same in a sentence, with its numbers.
        route (None | OverviewOverviewAttentionItemRouteType0): The route that it is about: `credentials_missing` and
            `route_paused`.
        webhook_id (None | UUID): The webhook that it is about: `webhook_failing`.
    """

    code: OverviewOverviewAttentionItemCode
    message: str
    route: None | OverviewOverviewAttentionItemRouteType0
    webhook_id: None | UUID

    def to_dict(self) -> dict[str, Any]:
        code: str = self.code

        message = self.message

        route: None | str
        if isinstance(self.route, str):
            route = self.route
        else:
            route = self.route

        webhook_id: None | str
        if isinstance(self.webhook_id, UUID):
            webhook_id = str(self.webhook_id)
        else:
            webhook_id = self.webhook_id

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "code": code,
                "message": message,
                "route": route,
                "webhook_id": webhook_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        code = check_overview_overview_attention_item_code(d.pop("code"))

        message = d.pop("message")

        def _parse_route(
            data: object,
        ) -> None | OverviewOverviewAttentionItemRouteType0:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                route_type_0 = check_overview_overview_attention_item_route_type_0(data)

                return route_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | OverviewOverviewAttentionItemRouteType0, data)

        route = _parse_route(d.pop("route"))

        def _parse_webhook_id(data: object) -> None | UUID:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                webhook_id_type_0 = UUID(data)

                return webhook_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | UUID, data)

        webhook_id = _parse_webhook_id(d.pop("webhook_id"))

        overview_overview_attention_item = cls(
            code=code,
            message=message,
            route=route,
            webhook_id=webhook_id,
        )

        return overview_overview_attention_item
