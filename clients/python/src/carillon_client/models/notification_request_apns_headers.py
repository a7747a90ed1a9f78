from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.notification_request_apns_headers_apns_priority import (
    NotificationRequestApnsHeadersApnsPriority,
    check_notification_request_apns_headers_apns_priority,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="NotificationRequestApnsHeaders")


@_attrs_define
class NotificationRequestApnsHeaders:
    """Headers of the request to Apple. Carillon sets all others.

    Attributes:
        apns_priority (NotificationRequestApnsHeadersApnsPriority | Unset): In place of the one that follows from
            `priority`.
        apns_expiration (str | Unset): In place of the one that follows from `time_to_live`.
        apns_collapse_id (str | Unset): In place of the one that follows from `collapse_key`.
    """

    apns_priority: NotificationRequestApnsHeadersApnsPriority | Unset = UNSET
    apns_expiration: str | Unset = UNSET
    apns_collapse_id: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        apns_priority: str | Unset = UNSET
        if not isinstance(self.apns_priority, Unset):
            apns_priority = self.apns_priority

        apns_expiration = self.apns_expiration

        apns_collapse_id = self.apns_collapse_id

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if apns_priority is not UNSET:
            field_dict["apns-priority"] = apns_priority
        if apns_expiration is not UNSET:
            field_dict["apns-expiration"] = apns_expiration
        if apns_collapse_id is not UNSET:
            field_dict["apns-collapse-id"] = apns_collapse_id

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        _apns_priority = d.pop("apns-priority", UNSET)
        apns_priority: NotificationRequestApnsHeadersApnsPriority | Unset
        if isinstance(_apns_priority, Unset):
            apns_priority = UNSET
        else:
            apns_priority = check_notification_request_apns_headers_apns_priority(
                _apns_priority
            )

        apns_expiration = d.pop("apns-expiration", UNSET)

        apns_collapse_id = d.pop("apns-collapse-id", UNSET)

        notification_request_apns_headers = cls(
            apns_priority=apns_priority,
            apns_expiration=apns_expiration,
            apns_collapse_id=apns_collapse_id,
        )

        return notification_request_apns_headers
