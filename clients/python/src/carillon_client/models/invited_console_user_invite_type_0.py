from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="InvitedConsoleUserInviteType0")


@_attrs_define
class InvitedConsoleUserInviteType0:
    """
    Attributes:
        token (str): The link is `<address of the console>/invite#<token>`. It cannot be read again.
        expires_at (datetime.datetime):
    """

    token: str
    expires_at: datetime.datetime

    def to_dict(self) -> dict[str, Any]:
        token = self.token

        expires_at = self.expires_at.isoformat()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "token": token,
                "expires_at": expires_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        token = d.pop("token")

        expires_at = datetime.datetime.fromisoformat(d.pop("expires_at"))

        invited_console_user_invite_type_0 = cls(
            token=token,
            expires_at=expires_at,
        )

        return invited_console_user_invite_type_0
