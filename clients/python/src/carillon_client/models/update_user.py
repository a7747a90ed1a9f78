from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.update_user_user import UpdateUserUser


T = TypeVar("T", bound="UpdateUser")


@_attrs_define
class UpdateUser:
    """
    Attributes:
        user (UpdateUserUser):
    """

    user: UpdateUserUser

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
        from ..models.update_user_user import UpdateUserUser

        d = dict(src_dict)
        user = UpdateUserUser.from_dict(d.pop("user"))

        update_user = cls(
            user=user,
        )

        return update_user
