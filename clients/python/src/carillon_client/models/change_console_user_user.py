from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.change_console_user_user_role import (
    ChangeConsoleUserUserRole,
    check_change_console_user_user_role,
)

T = TypeVar("T", bound="ChangeConsoleUserUser")


@_attrs_define
class ChangeConsoleUserUser:
    """
    Attributes:
        role (ChangeConsoleUserUserRole):
    """

    role: ChangeConsoleUserUserRole

    def to_dict(self) -> dict[str, Any]:
        role: str = self.role

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "role": role,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        role = check_change_console_user_user_role(d.pop("role"))

        change_console_user_user = cls(
            role=role,
        )

        return change_console_user_user
