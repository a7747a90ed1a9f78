from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="RegisteredDeviceIgnoredItem")


@_attrs_define
class RegisteredDeviceIgnoredItem:
    """
    Attributes:
        path (str): Of the value in the body, such as `device.locale`.
        message (str): Why it was left out; path and message form a sentence.
    """

    path: str
    message: str

    def to_dict(self) -> dict[str, Any]:
        path = self.path

        message = self.message

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "path": path,
                "message": message,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        path = d.pop("path")

        message = d.pop("message")

        registered_device_ignored_item = cls(
            path=path,
            message=message,
        )

        return registered_device_ignored_item
