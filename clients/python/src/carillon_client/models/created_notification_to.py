from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.created_notification_to_type import (
    CreatedNotificationToType,
    check_created_notification_to_type,
)

T = TypeVar("T", bound="CreatedNotificationTo")


@_attrs_define
class CreatedNotificationTo:
    """
    Attributes:
        id (str): The id of the audience (a stored one, one made from the filters, or the audience of all devices), or
            the submitted `device_id` or `user_id`, for which no audience is stored.
        type_ (CreatedNotificationToType):
    """

    id: str
    type_: CreatedNotificationToType

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        type_: str = self.type_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "type": type_,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        id = d.pop("id")

        type_ = check_created_notification_to_type(d.pop("type"))

        created_notification_to = cls(
            id=id,
            type_=type_,
        )

        return created_notification_to
