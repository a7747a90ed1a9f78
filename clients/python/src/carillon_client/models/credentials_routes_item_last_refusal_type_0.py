from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define

T = TypeVar("T", bound="CredentialsRoutesItemLastRefusalType0")


@_attrs_define
class CredentialsRoutesItemLastRefusalType0:
    """
    Attributes:
        reason (str): The code of the gateway, such as `InvalidProviderToken`.
        at (datetime.datetime): When the refused notification was created.
        notification_id (UUID):
    """

    reason: str
    at: datetime.datetime
    notification_id: UUID

    def to_dict(self) -> dict[str, Any]:
        reason = self.reason

        at = self.at.isoformat()

        notification_id = str(self.notification_id)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "reason": reason,
                "at": at,
                "notification_id": notification_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        reason = d.pop("reason")

        at = datetime.datetime.fromisoformat(d.pop("at"))

        notification_id = UUID(d.pop("notification_id"))

        credentials_routes_item_last_refusal_type_0 = cls(
            reason=reason,
            at=at,
            notification_id=notification_id,
        )

        return credentials_routes_item_last_refusal_type_0
