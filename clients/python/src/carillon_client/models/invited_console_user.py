from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.invited_console_user_invite_type_0 import (
        InvitedConsoleUserInviteType0,
    )
    from ..models.invited_console_user_user import InvitedConsoleUserUser


T = TypeVar("T", bound="InvitedConsoleUser")


@_attrs_define
class InvitedConsoleUser:
    """
    Attributes:
        user (InvitedConsoleUserUser):
        invite (InvitedConsoleUserInviteType0 | None): A link that works once. Null if the user can sign in already, or
            has been invited to another app.
    """

    user: InvitedConsoleUserUser
    invite: InvitedConsoleUserInviteType0 | None

    def to_dict(self) -> dict[str, Any]:
        from ..models.invited_console_user_invite_type_0 import (
            InvitedConsoleUserInviteType0,
        )

        user = self.user.to_dict()

        invite: dict[str, Any] | None
        if isinstance(self.invite, InvitedConsoleUserInviteType0):
            invite = self.invite.to_dict()
        else:
            invite = self.invite

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "user": user,
                "invite": invite,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.invited_console_user_invite_type_0 import (
            InvitedConsoleUserInviteType0,
        )
        from ..models.invited_console_user_user import InvitedConsoleUserUser

        d = dict(src_dict)
        user = InvitedConsoleUserUser.from_dict(d.pop("user"))

        def _parse_invite(data: object) -> InvitedConsoleUserInviteType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                invite_type_0 = InvitedConsoleUserInviteType0.from_dict(data)

                return invite_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(InvitedConsoleUserInviteType0 | None, data)

        invite = _parse_invite(d.pop("invite"))

        invited_console_user = cls(
            user=user,
            invite=invite,
        )

        return invited_console_user
