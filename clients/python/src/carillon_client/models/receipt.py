from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="Receipt")


@_attrs_define
class Receipt:
    """
    Attributes:
        notification (UUID): The `_nid` of the push.
        device (UUID): The id from the registration of the device.
        shown (bool | Unset): Whether the push was shown.
        opened (bool | Unset): Whether the user has opened it; the same as `POST /v6/notifications/<id>/opens`.
    """

    notification: UUID
    device: UUID
    shown: bool | Unset = UNSET
    opened: bool | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        notification = str(self.notification)

        device = str(self.device)

        shown = self.shown

        opened = self.opened

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "notification": notification,
                "device": device,
            }
        )
        if shown is not UNSET:
            field_dict["shown"] = shown
        if opened is not UNSET:
            field_dict["opened"] = opened

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        notification = UUID(d.pop("notification"))

        device = UUID(d.pop("device"))

        shown = d.pop("shown", UNSET)

        opened = d.pop("opened", UNSET)

        receipt = cls(
            notification=notification,
            device=device,
            shown=shown,
            opened=opened,
        )

        return receipt
