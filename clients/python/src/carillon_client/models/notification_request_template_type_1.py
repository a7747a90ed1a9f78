from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.notification_request_template_type_1_on_missing import (
    NotificationRequestTemplateType1OnMissing,
    check_notification_request_template_type_1_on_missing,
)

T = TypeVar("T", bound="NotificationRequestTemplateType1")


@_attrs_define
class NotificationRequestTemplateType1:
    """
    Attributes:
        on_missing (NotificationRequestTemplateType1OnMissing): If a device has no value for one of the outputs, and the
            template no `default`: `empty` leaves it out of the text, `skip` sends nothing to the device.
    """

    on_missing: NotificationRequestTemplateType1OnMissing

    def to_dict(self) -> dict[str, Any]:
        on_missing: str = self.on_missing

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "on_missing": on_missing,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        on_missing = check_notification_request_template_type_1_on_missing(
            d.pop("on_missing")
        )

        notification_request_template_type_1 = cls(
            on_missing=on_missing,
        )

        return notification_request_template_type_1
