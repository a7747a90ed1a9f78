from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.invite_console_user_user import InviteConsoleUserUser


T = TypeVar("T", bound="InviteConsoleUser")


@_attrs_define
class InviteConsoleUser:
    """
    Attributes:
        user (InviteConsoleUserUser):
    """

    user: InviteConsoleUserUser

    def to_dict(self) -> dict[str, Any]:
        user = self.user.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "user": user,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.invite_console_user_user import InviteConsoleUserUser

        d = dict(src_dict)
        user = InviteConsoleUserUser.from_dict(d.pop("user"))

        invite_console_user = cls(
            user=user,
        )

        return invite_console_user
