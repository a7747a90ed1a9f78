from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.console_user_user import ConsoleUserUser


T = TypeVar("T", bound="ConsoleUser")


@_attrs_define
class ConsoleUser:
    """
    Attributes:
        user (ConsoleUserUser):
    """

    user: ConsoleUserUser

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
        from ..models.console_user_user import ConsoleUserUser

        d = dict(src_dict)
        user = ConsoleUserUser.from_dict(d.pop("user"))

        console_user = cls(
            user=user,
        )

        return console_user
