from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define

from ..models.invited_console_user_user_role import (
    InvitedConsoleUserUserRole,
    check_invited_console_user_user_role,
)
from ..models.invited_console_user_user_signs_in import (
    InvitedConsoleUserUserSignsIn,
    check_invited_console_user_user_signs_in,
)

T = TypeVar("T", bound="InvitedConsoleUserUser")


@_attrs_define
class InvitedConsoleUserUser:
    """
    Attributes:
        id (UUID):
        name (str):
        role (InvitedConsoleUserUserRole):
        signs_in (InvitedConsoleUserUserSignsIn): `not_yet`: the user was invited and has not chosen a password so far.
        created_at (datetime.datetime):
    """

    id: UUID
    name: str
    role: InvitedConsoleUserUserRole
    signs_in: InvitedConsoleUserUserSignsIn
    created_at: datetime.datetime

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        name = self.name

        role: str = self.role

        signs_in: str = self.signs_in

        created_at = self.created_at.isoformat()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "name": name,
                "role": role,
                "signs_in": signs_in,
                "created_at": created_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        id = UUID(d.pop("id"))

        name = d.pop("name")

        role = check_invited_console_user_user_role(d.pop("role"))

        signs_in = check_invited_console_user_user_signs_in(d.pop("signs_in"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        invited_console_user_user = cls(
            id=id,
            name=name,
            role=role,
            signs_in=signs_in,
            created_at=created_at,
        )

        return invited_console_user_user
