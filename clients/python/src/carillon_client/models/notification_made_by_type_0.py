from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.notification_made_by_type_0_type import (
    NotificationMadeByType0Type,
    check_notification_made_by_type_0_type,
)

T = TypeVar("T", bound="NotificationMadeByType0")


@_attrs_define
class NotificationMadeByType0:
    """
    Attributes:
        type_ (NotificationMadeByType0Type):
        id (UUID): The id of the API key, or of the user of the console.
        name (None | str): The name of the user or of the key; null for a key without one.
    """

    type_: NotificationMadeByType0Type
    id: UUID
    name: None | str

    def to_dict(self) -> dict[str, Any]:
        type_: str = self.type_

        id = str(self.id)

        name: None | str
        name = self.name

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "type": type_,
                "id": id,
                "name": name,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        type_ = check_notification_made_by_type_0_type(d.pop("type"))

        id = UUID(d.pop("id"))

        def _parse_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        name = _parse_name(d.pop("name"))

        notification_made_by_type_0 = cls(
            type_=type_,
            id=id,
            name=name,
        )

        return notification_made_by_type_0
