from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.credentials_routes_item_pause_type_0_cause import (
    CredentialsRoutesItemPauseType0Cause,
    check_credentials_routes_item_pause_type_0_cause,
)

T = TypeVar("T", bound="CredentialsRoutesItemPauseType0")


@_attrs_define
class CredentialsRoutesItemPauseType0:
    """
    Attributes:
        cause (CredentialsRoutesItemPauseType0Cause):
        reason (str): The words of the gateway, and what to check.
        since (datetime.datetime):
        next_try_at (datetime.datetime | None): When one push is tried; null: an operator resumes it.
    """

    cause: CredentialsRoutesItemPauseType0Cause
    reason: str
    since: datetime.datetime
    next_try_at: datetime.datetime | None

    def to_dict(self) -> dict[str, Any]:
        cause: str = self.cause

        reason = self.reason

        since = self.since.isoformat()

        next_try_at: None | str
        if isinstance(self.next_try_at, datetime.datetime):
            next_try_at = self.next_try_at.isoformat()
        else:
            next_try_at = self.next_try_at

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "cause": cause,
                "reason": reason,
                "since": since,
                "next_try_at": next_try_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        cause = check_credentials_routes_item_pause_type_0_cause(d.pop("cause"))

        reason = d.pop("reason")

        since = datetime.datetime.fromisoformat(d.pop("since"))

        def _parse_next_try_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                next_try_at_type_0 = datetime.datetime.fromisoformat(data)

                return next_try_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        next_try_at = _parse_next_try_at(d.pop("next_try_at"))

        credentials_routes_item_pause_type_0 = cls(
            cause=cause,
            reason=reason,
            since=since,
            next_try_at=next_try_at,
        )

        return credentials_routes_item_pause_type_0
