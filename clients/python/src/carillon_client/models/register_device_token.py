from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="RegisterDeviceToken")


@_attrs_define
class RegisterDeviceToken:
    """
    Attributes:
        push_token (str): The token that iOS gave the app, in hexadecimal digits.
    """

    push_token: str

    def to_dict(self) -> dict[str, Any]:
        push_token = self.push_token

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "push_token": push_token,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        push_token = d.pop("push_token")

        register_device_token = cls(
            push_token=push_token,
        )

        return register_device_token
