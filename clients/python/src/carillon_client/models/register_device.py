from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.android_registration import AndroidRegistration
    from ..models.ios_registration import IosRegistration


T = TypeVar("T", bound="RegisterDevice")


@_attrs_define
class RegisterDevice:
    """
    Attributes:
        device (AndroidRegistration | IosRegistration):
    """

    device: AndroidRegistration | IosRegistration

    def to_dict(self) -> dict[str, Any]:
        from ..models.ios_registration import IosRegistration

        device: dict[str, Any]
        if isinstance(self.device, IosRegistration):
            device = self.device.to_dict()
        else:
            device = self.device.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "device": device,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.android_registration import AndroidRegistration
        from ..models.ios_registration import IosRegistration

        d = dict(src_dict)

        def _parse_device(data: object) -> AndroidRegistration | IosRegistration:
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_device_registration_type_0 = (
                    IosRegistration.from_dict(data)
                )

                return componentsschemas_device_registration_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            componentsschemas_device_registration_type_1 = (
                AndroidRegistration.from_dict(data)
            )

            return componentsschemas_device_registration_type_1

        device = _parse_device(d.pop("device"))

        register_device = cls(
            device=device,
        )

        return register_device
