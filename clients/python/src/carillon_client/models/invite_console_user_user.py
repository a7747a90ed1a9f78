from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.invite_console_user_user_role import (
    InviteConsoleUserUserRole,
    check_invite_console_user_user_role,
)

T = TypeVar("T", bound="InviteConsoleUserUser")


@_attrs_define
class InviteConsoleUserUser:
    """
    Attributes:
        name (str): Unique on the server without regard to case; often an e-mail address.
        role (InviteConsoleUserUserRole):
    """

    name: str
    role: InviteConsoleUserUserRole

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        role: str = self.role

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "role": role,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        name = d.pop("name")

        role = check_invite_console_user_user_role(d.pop("role"))

        invite_console_user_user = cls(
            name=name,
            role=role,
        )

        return invite_console_user_user
