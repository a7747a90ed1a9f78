from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.create_channel_channel_environment import (
    CreateChannelChannelEnvironment,
    check_create_channel_channel_environment,
)
from ..models.create_channel_channel_storage import (
    CreateChannelChannelStorage,
    check_create_channel_channel_storage,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="CreateChannelChannel")


@_attrs_define
class CreateChannelChannel:
    """
    Attributes:
        key (str): Your own name for it, such as the id of a match. Creating it again finds the channel.
        environment (CreateChannelChannelEnvironment | Unset): Apple’s environment: `sandbox` for development builds.
            Default: 'production'.
        storage (CreateChannelChannelStorage | Unset): What Apple keeps for devices that are offline: nothing, or the
            latest broadcast. It cannot be changed later. `latest` if left out.
        apns_channel_id (str | Unset): Apple’s id of a channel that another program has created: it is taken over and
            nothing is created.
    """

    key: str
    environment: CreateChannelChannelEnvironment | Unset = "production"
    storage: CreateChannelChannelStorage | Unset = UNSET
    apns_channel_id: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        key = self.key

        environment: str | Unset = UNSET
        if not isinstance(self.environment, Unset):
            environment = self.environment

        storage: str | Unset = UNSET
        if not isinstance(self.storage, Unset):
            storage = self.storage

        apns_channel_id = self.apns_channel_id

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "key": key,
            }
        )
        if environment is not UNSET:
            field_dict["environment"] = environment
        if storage is not UNSET:
            field_dict["storage"] = storage
        if apns_channel_id is not UNSET:
            field_dict["apns_channel_id"] = apns_channel_id

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        key = d.pop("key")

        _environment = d.pop("environment", UNSET)
        environment: CreateChannelChannelEnvironment | Unset
        if isinstance(_environment, Unset):
            environment = UNSET
        else:
            environment = check_create_channel_channel_environment(_environment)

        _storage = d.pop("storage", UNSET)
        storage: CreateChannelChannelStorage | Unset
        if isinstance(_storage, Unset):
            storage = UNSET
        else:
            storage = check_create_channel_channel_storage(_storage)

        apns_channel_id = d.pop("apns_channel_id", UNSET)

        create_channel_channel = cls(
            key=key,
            environment=environment,
            storage=storage,
            apns_channel_id=apns_channel_id,
        )

        return create_channel_channel
