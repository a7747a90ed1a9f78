from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.notification_request import NotificationRequest


T = TypeVar("T", bound="BatchItem")


@_attrs_define
class BatchItem:
    """
    Attributes:
        notification (NotificationRequest):
        idempotency_key (str | Unset): For 24 hours, a call with the same key and body gets the first reply again and
            sends nothing.
    """

    notification: NotificationRequest
    idempotency_key: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        notification = self.notification.to_dict()

        idempotency_key = self.idempotency_key

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "notification": notification,
            }
        )
        if idempotency_key is not UNSET:
            field_dict["idempotency_key"] = idempotency_key

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_request import NotificationRequest

        d = dict(src_dict)
        notification = NotificationRequest.from_dict(d.pop("notification"))

        idempotency_key = d.pop("idempotency_key", UNSET)

        batch_item = cls(
            notification=notification,
            idempotency_key=idempotency_key,
        )

        return batch_item
