from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

T = TypeVar("T", bound="ConsoleSessionListSessionsItem")


@_attrs_define
class ConsoleSessionListSessionsItem:
    """
    Attributes:
        id (UUID):
        user_agent (None | str): As the browser names itself; cut after 256 characters.
        created_at (datetime.datetime):
        last_used_at (datetime.datetime): To the minute.
        expires_at (datetime.datetime): It ends at this time, or after 12 hours without use.
    """

    id: UUID
    user_agent: None | str
    created_at: datetime.datetime
    last_used_at: datetime.datetime
    expires_at: datetime.datetime

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        user_agent: None | str
        user_agent = self.user_agent

        created_at = self.created_at.isoformat()

        last_used_at = self.last_used_at.isoformat()

        expires_at = self.expires_at.isoformat()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "user_agent": user_agent,
                "created_at": created_at,
                "last_used_at": last_used_at,
                "expires_at": expires_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        id = UUID(d.pop("id"))

        def _parse_user_agent(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        user_agent = _parse_user_agent(d.pop("user_agent"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        last_used_at = datetime.datetime.fromisoformat(d.pop("last_used_at"))

        expires_at = datetime.datetime.fromisoformat(d.pop("expires_at"))

        console_session_list_sessions_item = cls(
            id=id,
            user_agent=user_agent,
            created_at=created_at,
            last_used_at=last_used_at,
            expires_at=expires_at,
        )

        return console_session_list_sessions_item
