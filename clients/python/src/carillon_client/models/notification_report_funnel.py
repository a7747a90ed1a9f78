from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.notification_report_funnel_received_type_0 import (
        NotificationReportFunnelReceivedType0,
    )
    from ..models.notification_report_funnel_shown_type_0 import (
        NotificationReportFunnelShownType0,
    )


T = TypeVar("T", bound="NotificationReportFunnel")


@_attrs_define
class NotificationReportFunnel:
    """How far the notification got, by the receipts of devices.

    Attributes:
        sample (float | None): The share of the devices that are asked; null: no receipts are asked for.
        accepted (int): Devices whose push a gateway has accepted.
        asked (int): The accepted ones that are in the sample. They are counted with the first receipts, slice by slice,
            as slices end.
        received (None | NotificationReportFunnelReceivedType0): Null if no receipts are asked for, or none have been
            counted.
        shown (None | NotificationReportFunnelShownType0): Null if no receipts are asked for, or none have been counted.
        opened (int): Devices that have reported an open, in the sample or not. This is no estimate.
    """

    sample: float | None
    accepted: int
    asked: int
    received: None | NotificationReportFunnelReceivedType0
    shown: None | NotificationReportFunnelShownType0
    opened: int

    def to_dict(self) -> dict[str, Any]:
        from ..models.notification_report_funnel_received_type_0 import (
            NotificationReportFunnelReceivedType0,
        )
        from ..models.notification_report_funnel_shown_type_0 import (
            NotificationReportFunnelShownType0,
        )

        sample: float | None
        sample = self.sample

        accepted = self.accepted

        asked = self.asked

        received: dict[str, Any] | None
        if isinstance(self.received, NotificationReportFunnelReceivedType0):
            received = self.received.to_dict()
        else:
            received = self.received

        shown: dict[str, Any] | None
        if isinstance(self.shown, NotificationReportFunnelShownType0):
            shown = self.shown.to_dict()
        else:
            shown = self.shown

        opened = self.opened

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "sample": sample,
                "accepted": accepted,
                "asked": asked,
                "received": received,
                "shown": shown,
                "opened": opened,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_report_funnel_received_type_0 import (
            NotificationReportFunnelReceivedType0,
        )
        from ..models.notification_report_funnel_shown_type_0 import (
            NotificationReportFunnelShownType0,
        )

        d = dict(src_dict)

        def _parse_sample(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        sample = _parse_sample(d.pop("sample"))

        accepted = d.pop("accepted")

        asked = d.pop("asked")

        def _parse_received(
            data: object,
        ) -> None | NotificationReportFunnelReceivedType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                received_type_0 = NotificationReportFunnelReceivedType0.from_dict(data)

                return received_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | NotificationReportFunnelReceivedType0, data)

        received = _parse_received(d.pop("received"))

        def _parse_shown(data: object) -> None | NotificationReportFunnelShownType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                shown_type_0 = NotificationReportFunnelShownType0.from_dict(data)

                return shown_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | NotificationReportFunnelShownType0, data)

        shown = _parse_shown(d.pop("shown"))

        opened = d.pop("opened")

        notification_report_funnel = cls(
            sample=sample,
            accepted=accepted,
            asked=asked,
            received=received,
            shown=shown,
            opened=opened,
        )

        return notification_report_funnel
