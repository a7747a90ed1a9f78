from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.stored_batch_entry_to_type import (
    StoredBatchEntryToType,
    check_stored_batch_entry_to_type,
)

T = TypeVar("T", bound="StoredBatchEntryTo")


@_attrs_define
class StoredBatchEntryTo:
    """
    Attributes:
        id (str): The id of the audience (a stored one, one made from the filters, or the audience of all devices), or
            the submitted `device_id` or `user_id`, for which no audience is stored.
        type_ (StoredBatchEntryToType):
    """

    id: str
    type_: StoredBatchEntryToType

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

        type_ = check_stored_batch_entry_to_type(d.pop("type"))

        stored_batch_entry_to = cls(
            id=id,
            type_=type_,
        )

        return stored_batch_entry_to
