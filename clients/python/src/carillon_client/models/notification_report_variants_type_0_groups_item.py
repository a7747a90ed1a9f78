from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.notification_report_variants_type_0_groups_item_opened_type_0 import (
        NotificationReportVariantsType0GroupsItemOpenedType0,
    )
    from ..models.notification_report_variants_type_0_groups_item_outcomes import (
        NotificationReportVariantsType0GroupsItemOutcomes,
    )
    from ..models.notification_report_variants_type_0_groups_item_received_type_0 import (
        NotificationReportVariantsType0GroupsItemReceivedType0,
    )
    from ..models.notification_report_variants_type_0_groups_item_shown_type_0 import (
        NotificationReportVariantsType0GroupsItemShownType0,
    )


T = TypeVar("T", bound="NotificationReportVariantsType0GroupsItem")


@_attrs_define
class NotificationReportVariantsType0GroupsItem:
    """
    Attributes:
        name (str): Of the variant; `hold_out` for the devices that get nothing.
        share (float): The share of the audience that it is to have.
        devices (int): Devices with an outcome.
        outcomes (NotificationReportVariantsType0GroupsItemOutcomes):
        received (None | NotificationReportVariantsType0GroupsItemReceivedType0): Null if nothing is known: no receipts
            are asked for, or the group gets nothing.
        shown (None | NotificationReportVariantsType0GroupsItemShownType0): Null if nothing is known: no receipts are
            asked for, or the group gets nothing.
        opened (None | NotificationReportVariantsType0GroupsItemOpenedType0): Null if nothing is known: no receipts are
            asked for, or the group gets nothing.
    """

    name: str
    share: float
    devices: int
    outcomes: NotificationReportVariantsType0GroupsItemOutcomes
    received: None | NotificationReportVariantsType0GroupsItemReceivedType0
    shown: None | NotificationReportVariantsType0GroupsItemShownType0
    opened: None | NotificationReportVariantsType0GroupsItemOpenedType0

    def to_dict(self) -> dict[str, Any]:
        from ..models.notification_report_variants_type_0_groups_item_opened_type_0 import (
            NotificationReportVariantsType0GroupsItemOpenedType0,
        )
        from ..models.notification_report_variants_type_0_groups_item_received_type_0 import (
            NotificationReportVariantsType0GroupsItemReceivedType0,
        )
        from ..models.notification_report_variants_type_0_groups_item_shown_type_0 import (
            NotificationReportVariantsType0GroupsItemShownType0,
        )

        name = self.name

        share = self.share

        devices = self.devices

        outcomes = self.outcomes.to_dict()

        received: dict[str, Any] | None
        if isinstance(
            self.received, NotificationReportVariantsType0GroupsItemReceivedType0
        ):
            received = self.received.to_dict()
        else:
            received = self.received

        shown: dict[str, Any] | None
        if isinstance(self.shown, NotificationReportVariantsType0GroupsItemShownType0):
            shown = self.shown.to_dict()
        else:
            shown = self.shown

        opened: dict[str, Any] | None
        if isinstance(
            self.opened, NotificationReportVariantsType0GroupsItemOpenedType0
        ):
            opened = self.opened.to_dict()
        else:
            opened = self.opened

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "share": share,
                "devices": devices,
                "outcomes": outcomes,
                "received": received,
                "shown": shown,
                "opened": opened,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_report_variants_type_0_groups_item_opened_type_0 import (
            NotificationReportVariantsType0GroupsItemOpenedType0,
        )
        from ..models.notification_report_variants_type_0_groups_item_outcomes import (
            NotificationReportVariantsType0GroupsItemOutcomes,
        )
        from ..models.notification_report_variants_type_0_groups_item_received_type_0 import (
            NotificationReportVariantsType0GroupsItemReceivedType0,
        )
        from ..models.notification_report_variants_type_0_groups_item_shown_type_0 import (
            NotificationReportVariantsType0GroupsItemShownType0,
        )

        d = dict(src_dict)
        name = d.pop("name")

        share = d.pop("share")

        devices = d.pop("devices")

        outcomes = NotificationReportVariantsType0GroupsItemOutcomes.from_dict(
            d.pop("outcomes")
        )

        def _parse_received(
            data: object,
        ) -> None | NotificationReportVariantsType0GroupsItemReceivedType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                received_type_0 = (
                    NotificationReportVariantsType0GroupsItemReceivedType0.from_dict(
                        data
                    )
                )

                return received_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                None | NotificationReportVariantsType0GroupsItemReceivedType0, data
            )

        received = _parse_received(d.pop("received"))

        def _parse_shown(
            data: object,
        ) -> None | NotificationReportVariantsType0GroupsItemShownType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                shown_type_0 = (
                    NotificationReportVariantsType0GroupsItemShownType0.from_dict(data)
                )

                return shown_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                None | NotificationReportVariantsType0GroupsItemShownType0, data
            )

        shown = _parse_shown(d.pop("shown"))

        def _parse_opened(
            data: object,
        ) -> None | NotificationReportVariantsType0GroupsItemOpenedType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                opened_type_0 = (
                    NotificationReportVariantsType0GroupsItemOpenedType0.from_dict(data)
                )

                return opened_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                None | NotificationReportVariantsType0GroupsItemOpenedType0, data
            )

        opened = _parse_opened(d.pop("opened"))

        notification_report_variants_type_0_groups_item = cls(
            name=name,
            share=share,
            devices=devices,
            outcomes=outcomes,
            received=received,
            shown=shown,
            opened=opened,
        )

        return notification_report_variants_type_0_groups_item
