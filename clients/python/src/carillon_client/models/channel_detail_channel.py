from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.channel_detail_channel_environment import (
    ChannelDetailChannelEnvironment,
    check_channel_detail_channel_environment,
)
from ..models.channel_detail_channel_state import (
    ChannelDetailChannelState,
    check_channel_detail_channel_state,
)
from ..models.channel_detail_channel_storage import (
    ChannelDetailChannelStorage,
    check_channel_detail_channel_storage,
)

T = TypeVar("T", bound="ChannelDetailChannel")


@_attrs_define
class ChannelDetailChannel:
    """
    Attributes:
        id (UUID):
        key (str):
        environment (ChannelDetailChannelEnvironment):
        storage (ChannelDetailChannelStorage):
        state (ChannelDetailChannelState): `ended`: an `end` was broadcast. `deleting`: Apple has not confirmed yet that
            it is deleted.
        apns_channel_id (str): Apple’s id, with which the app subscribes to it.
        created_at (datetime.datetime):
        used_at (datetime.datetime): When it was last created again or broadcast to.
        ended_at (datetime.datetime | None): When its `end` was accepted; null before.
        last_sent_at (datetime.datetime | None): When a broadcast was last handed to Apple; null if none was.
    """

    id: UUID
    key: str
    environment: ChannelDetailChannelEnvironment
    storage: ChannelDetailChannelStorage
    state: ChannelDetailChannelState
    apns_channel_id: str
    created_at: datetime.datetime
    used_at: datetime.datetime
    ended_at: datetime.datetime | None
    last_sent_at: datetime.datetime | None

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        key = self.key

        environment: str = self.environment

        storage: str = self.storage

        state: str = self.state

        apns_channel_id = self.apns_channel_id

        created_at = self.created_at.isoformat()

        used_at = self.used_at.isoformat()

        ended_at: None | str
        if isinstance(self.ended_at, datetime.datetime):
            ended_at = self.ended_at.isoformat()
        else:
            ended_at = self.ended_at

        last_sent_at: None | str
        if isinstance(self.last_sent_at, datetime.datetime):
            last_sent_at = self.last_sent_at.isoformat()
        else:
            last_sent_at = self.last_sent_at

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "key": key,
                "environment": environment,
                "storage": storage,
                "state": state,
                "apns_channel_id": apns_channel_id,
                "created_at": created_at,
                "used_at": used_at,
                "ended_at": ended_at,
                "last_sent_at": last_sent_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        id = UUID(d.pop("id"))

        key = d.pop("key")

        environment = check_channel_detail_channel_environment(d.pop("environment"))

        storage = check_channel_detail_channel_storage(d.pop("storage"))

        state = check_channel_detail_channel_state(d.pop("state"))

        apns_channel_id = d.pop("apns_channel_id")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        used_at = datetime.datetime.fromisoformat(d.pop("used_at"))

        def _parse_ended_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                ended_at_type_0 = datetime.datetime.fromisoformat(data)

                return ended_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        ended_at = _parse_ended_at(d.pop("ended_at"))

        def _parse_last_sent_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_sent_at_type_0 = datetime.datetime.fromisoformat(data)

                return last_sent_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        last_sent_at = _parse_last_sent_at(d.pop("last_sent_at"))

        channel_detail_channel = cls(
            id=id,
            key=key,
            environment=environment,
            storage=storage,
            state=state,
            apns_channel_id=apns_channel_id,
            created_at=created_at,
            used_at=used_at,
            ended_at=ended_at,
            last_sent_at=last_sent_at,
        )

        return channel_detail_channel
