from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.change_console_user_user import ChangeConsoleUserUser


T = TypeVar("T", bound="ChangeConsoleUser")


@_attrs_define
class ChangeConsoleUser:
    """
    Attributes:
        user (ChangeConsoleUserUser):
    """

    user: ChangeConsoleUserUser

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
        from ..models.change_console_user_user import ChangeConsoleUserUser

        d = dict(src_dict)
        user = ChangeConsoleUserUser.from_dict(d.pop("user"))

        change_console_user = cls(
            user=user,
        )

        return change_console_user
