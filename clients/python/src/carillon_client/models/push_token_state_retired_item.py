from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.push_token_state_retired_item_push_token_type import (
    PushTokenStateRetiredItemPushTokenType,
    check_push_token_state_retired_item_push_token_type,
)

T = TypeVar("T", bound="PushTokenStateRetiredItem")


@_attrs_define
class PushTokenStateRetiredItem:
    """
    Attributes:
        push_token_type (PushTokenStateRetiredItemPushTokenType):
        reason (str): The code with which the gateway reported the token dead; `replaced` if the device got another one.
        retired_at (datetime.datetime):
        presented_at (datetime.datetime | None): When the app last sent the token.
        kept (bool): Whether the token is still kept, encrypted, and can be given back. A token that a gateway reported
            dead is kept for 30 days.
    """

    push_token_type: PushTokenStateRetiredItemPushTokenType
    reason: str
    retired_at: datetime.datetime
    presented_at: datetime.datetime | None
    kept: bool

    def to_dict(self) -> dict[str, Any]:
        push_token_type: str = self.push_token_type

        reason = self.reason

        retired_at = self.retired_at.isoformat()

        presented_at: None | str
        if isinstance(self.presented_at, datetime.datetime):
            presented_at = self.presented_at.isoformat()
        else:
            presented_at = self.presented_at

        kept = self.kept

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "push_token_type": push_token_type,
                "reason": reason,
                "retired_at": retired_at,
                "presented_at": presented_at,
                "kept": kept,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        push_token_type = check_push_token_state_retired_item_push_token_type(
            d.pop("push_token_type")
        )

        reason = d.pop("reason")

        retired_at = datetime.datetime.fromisoformat(d.pop("retired_at"))

        def _parse_presented_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                presented_at_type_0 = datetime.datetime.fromisoformat(data)

                return presented_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        presented_at = _parse_presented_at(d.pop("presented_at"))

        kept = d.pop("kept")

        push_token_state_retired_item = cls(
            push_token_type=push_token_type,
            reason=reason,
            retired_at=retired_at,
            presented_at=presented_at,
            kept=kept,
        )

        return push_token_state_retired_item
