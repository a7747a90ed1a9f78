from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.console_session_list_sessions_item import (
        ConsoleSessionListSessionsItem,
    )


T = TypeVar("T", bound="ConsoleSessionList")


@_attrs_define
class ConsoleSessionList:
    """
    Attributes:
        sessions (list[ConsoleSessionListSessionsItem]):
    """

    sessions: list[ConsoleSessionListSessionsItem]

    def to_dict(self) -> dict[str, Any]:
        sessions = []
        for sessions_item_data in self.sessions:
            sessions_item = sessions_item_data.to_dict()
            sessions.append(sessions_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "sessions": sessions,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.console_session_list_sessions_item import (
            ConsoleSessionListSessionsItem,
        )

        d = dict(src_dict)
        sessions = []
        _sessions = d.pop("sessions")
        for sessions_item_data in _sessions:
            sessions_item = ConsoleSessionListSessionsItem.from_dict(sessions_item_data)

            sessions.append(sessions_item)

        console_session_list = cls(
            sessions=sessions,
        )

        return console_session_list
