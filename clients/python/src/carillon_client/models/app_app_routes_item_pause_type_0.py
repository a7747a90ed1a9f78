from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.app_app_routes_item_pause_type_0_cause import (
    AppAppRoutesItemPauseType0Cause,
    check_app_app_routes_item_pause_type_0_cause,
)

T = TypeVar("T", bound="AppAppRoutesItemPauseType0")


@_attrs_define
class AppAppRoutesItemPauseType0:
    """
    Attributes:
        cause (AppAppRoutesItemPauseType0Cause):
        reason (str):
        since (datetime.datetime):
    """

    cause: AppAppRoutesItemPauseType0Cause
    reason: str
    since: datetime.datetime

    def to_dict(self) -> dict[str, Any]:
        cause: str = self.cause

        reason = self.reason

        since = self.since.isoformat()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "cause": cause,
                "reason": reason,
                "since": since,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        cause = check_app_app_routes_item_pause_type_0_cause(d.pop("cause"))

        reason = d.pop("reason")

        since = datetime.datetime.fromisoformat(d.pop("since"))

        app_app_routes_item_pause_type_0 = cls(
            cause=cause,
            reason=reason,
            since=since,
        )

        return app_app_routes_item_pause_type_0
