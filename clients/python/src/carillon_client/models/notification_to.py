from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.notification_to_type import NotificationToType, check_notification_to_type

T = TypeVar("T", bound="NotificationTo")


@_attrs_define
class NotificationTo:
    """
    Attributes:
        id (str): The id of the audience (a stored one, one made from the filters, or the audience of all devices), or
            the submitted `device_id` or `user_id`, for which no audience is stored.
        type_ (NotificationToType):
        name (None | str): The name of the audience; null for a device or a user.
    """

    id: str
    type_: NotificationToType
    name: None | str

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        type_: str = self.type_

        name: None | str
        name = self.name

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "type": type_,
                "name": name,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        id = d.pop("id")

        type_ = check_notification_to_type(d.pop("type"))

        def _parse_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        name = _parse_name(d.pop("name"))

        notification_to = cls(
            id=id,
            type_=type_,
            name=name,
        )

        return notification_to
