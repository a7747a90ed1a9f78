from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.push_token_state_push_token_type_type_0 import (
    PushTokenStatePushTokenTypeType0,
    check_push_token_state_push_token_type_type_0,
)
from ..models.push_token_state_route import (
    PushTokenStateRoute,
    check_push_token_state_route,
)
from ..models.push_token_state_state import (
    PushTokenStateState,
    check_push_token_state_state,
)

if TYPE_CHECKING:
    from ..models.push_token_state_retired_item import PushTokenStateRetiredItem


T = TypeVar("T", bound="PushTokenState")


@_attrs_define
class PushTokenState:
    """
    Attributes:
        state (PushTokenStateState): `live`: the device has a push token. `set_aside`: Apple did not know its token in
            this environment; it comes back when `development` changes. `retired`: a gateway reported its token dead.
            `none`: the token moved to another device, or its retirement is no longer known.
        route (PushTokenStateRoute): The way by which pushes reach the device.
        push_token_type (None | PushTokenStatePushTokenTypeType0): Null if the device has no token.
        presented_at (datetime.datetime | None): When the app last sent the current token.
        retired (list[PushTokenStateRetiredItem]): The tokens that the device has lost, newest first, at most 20.
    """

    state: PushTokenStateState
    route: PushTokenStateRoute
    push_token_type: None | PushTokenStatePushTokenTypeType0
    presented_at: datetime.datetime | None
    retired: list[PushTokenStateRetiredItem]

    def to_dict(self) -> dict[str, Any]:
        state: str = self.state

        route: str = self.route

        push_token_type: None | str
        if isinstance(self.push_token_type, str):
            push_token_type = self.push_token_type
        else:
            push_token_type = self.push_token_type

        presented_at: None | str
        if isinstance(self.presented_at, datetime.datetime):
            presented_at = self.presented_at.isoformat()
        else:
            presented_at = self.presented_at

        retired = []
        for retired_item_data in self.retired:
            retired_item = retired_item_data.to_dict()
            retired.append(retired_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "state": state,
                "route": route,
                "push_token_type": push_token_type,
                "presented_at": presented_at,
                "retired": retired,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.push_token_state_retired_item import PushTokenStateRetiredItem

        d = dict(src_dict)
        state = check_push_token_state_state(d.pop("state"))

        route = check_push_token_state_route(d.pop("route"))

        def _parse_push_token_type(
            data: object,
        ) -> None | PushTokenStatePushTokenTypeType0:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                push_token_type_type_0 = check_push_token_state_push_token_type_type_0(
                    data
                )

                return push_token_type_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PushTokenStatePushTokenTypeType0, data)

        push_token_type = _parse_push_token_type(d.pop("push_token_type"))

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

        retired = []
        _retired = d.pop("retired")
        for retired_item_data in _retired:
            retired_item = PushTokenStateRetiredItem.from_dict(retired_item_data)

            retired.append(retired_item)

        push_token_state = cls(
            state=state,
            route=route,
            push_token_type=push_token_type,
            presented_at=presented_at,
            retired=retired,
        )

        return push_token_state
