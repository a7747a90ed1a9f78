from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="LookUpDevices")


@_attrs_define
class LookUpDevices:
    """
    Attributes:
        query (str): The id of a device, a push token, a user id or its beginning, or an e-mail address.
    """

    query: str

    def to_dict(self) -> dict[str, Any]:
        query = self.query

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "query": query,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        query = d.pop("query")

        look_up_devices = cls(
            query=query,
        )

        return look_up_devices
