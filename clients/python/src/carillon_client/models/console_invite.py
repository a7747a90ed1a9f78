from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.console_invite_invite import ConsoleInviteInvite


T = TypeVar("T", bound="ConsoleInvite")


@_attrs_define
class ConsoleInvite:
    """
    Attributes:
        invite (ConsoleInviteInvite):
    """

    invite: ConsoleInviteInvite

    def to_dict(self) -> dict[str, Any]:
        invite = self.invite.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "invite": invite,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.console_invite_invite import ConsoleInviteInvite

        d = dict(src_dict)
        invite = ConsoleInviteInvite.from_dict(d.pop("invite"))

        console_invite = cls(
            invite=invite,
        )

        return console_invite
