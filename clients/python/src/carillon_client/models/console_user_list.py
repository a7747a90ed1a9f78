from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.console_user_list_users_item import ConsoleUserListUsersItem


T = TypeVar("T", bound="ConsoleUserList")


@_attrs_define
class ConsoleUserList:
    """
    Attributes:
        users (list[ConsoleUserListUsersItem]):
    """

    users: list[ConsoleUserListUsersItem]

    def to_dict(self) -> dict[str, Any]:
        users = []
        for users_item_data in self.users:
            users_item = users_item_data.to_dict()
            users.append(users_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "users": users,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.console_user_list_users_item import ConsoleUserListUsersItem

        d = dict(src_dict)
        users = []
        _users = d.pop("users")
        for users_item_data in _users:
            users_item = ConsoleUserListUsersItem.from_dict(users_item_data)

            users.append(users_item)

        console_user_list = cls(
            users=users,
        )

        return console_user_list
