from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.registered_device_device import RegisteredDeviceDevice
    from ..models.registered_device_ignored_item import RegisteredDeviceIgnoredItem


T = TypeVar("T", bound="RegisteredDevice")


@_attrs_define
class RegisteredDevice:
    """
    Attributes:
        device (RegisteredDeviceDevice): A key without `read` gets push_token, user_id, user_email, location,
            sdk_location only if the call itself sent them.
        ignored (list[RegisteredDeviceIgnoredItem] | Unset): What was left out of a registration because it breaks a
            rule, 100 values at most. Only if there is any; an update is refused instead.
    """

    device: RegisteredDeviceDevice
    ignored: list[RegisteredDeviceIgnoredItem] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        device = self.device.to_dict()

        ignored: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.ignored, Unset):
            ignored = []
            for ignored_item_data in self.ignored:
                ignored_item = ignored_item_data.to_dict()
                ignored.append(ignored_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "device": device,
            }
        )
        if ignored is not UNSET:
            field_dict["ignored"] = ignored

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.registered_device_device import RegisteredDeviceDevice
        from ..models.registered_device_ignored_item import RegisteredDeviceIgnoredItem

        d = dict(src_dict)
        device = RegisteredDeviceDevice.from_dict(d.pop("device"))

        _ignored = d.pop("ignored", UNSET)
        ignored: list[RegisteredDeviceIgnoredItem] | Unset = UNSET
        if _ignored is not UNSET:
            ignored = []
            for ignored_item_data in _ignored:
                ignored_item = RegisteredDeviceIgnoredItem.from_dict(ignored_item_data)

                ignored.append(ignored_item)

        registered_device = cls(
            device=device,
            ignored=ignored,
        )

        return registered_device
