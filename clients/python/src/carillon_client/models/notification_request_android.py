from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.notification_request_android_proxy import (
    NotificationRequestAndroidProxy,
    check_notification_request_android_proxy,
)
from ..models.notification_request_android_visibility import (
    NotificationRequestAndroidVisibility,
    check_notification_request_android_visibility,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="NotificationRequestAndroid")


@_attrs_define
class NotificationRequestAndroid:
    """What only Google gets. `click_action`, `visibility`, `notification_count` and `proxy` need `android_presentation`
    `system`: without it, the app draws.

        Attributes:
            click_action (str | Unset): The action of the intent that a tap starts, in place of opening the app.
            visibility (NotificationRequestAndroidVisibility | Unset): On a locked phone, `public` shows all of it,
                `private` hides its text, and `secret` shows nothing.
            notification_count (int | Unset): How many items it stands for: some launchers add this to the number on the
                app’s icon.
            proxy (NotificationRequestAndroidProxy | Unset): Whether Google Play services may show it without starting the
                app; `if_priority_lowered`: only if the phone has lowered its priority.
            analytics_label (str | Unset): The label by which Firebase’s reports count it.
            direct_boot_ok (bool | Unset): Whether the app gets it before the phone is unlocked for the first time after a
                start.
            bandwidth_constrained_ok (bool | Unset): Whether the app gets it over a network with little bandwidth.
            restricted_satellite_ok (bool | Unset): Whether the app gets it over a restricted satellite network.
    """

    click_action: str | Unset = UNSET
    visibility: NotificationRequestAndroidVisibility | Unset = UNSET
    notification_count: int | Unset = UNSET
    proxy: NotificationRequestAndroidProxy | Unset = UNSET
    analytics_label: str | Unset = UNSET
    direct_boot_ok: bool | Unset = UNSET
    bandwidth_constrained_ok: bool | Unset = UNSET
    restricted_satellite_ok: bool | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        click_action = self.click_action

        visibility: str | Unset = UNSET
        if not isinstance(self.visibility, Unset):
            visibility = self.visibility

        notification_count = self.notification_count

        proxy: str | Unset = UNSET
        if not isinstance(self.proxy, Unset):
            proxy = self.proxy

        analytics_label = self.analytics_label

        direct_boot_ok = self.direct_boot_ok

        bandwidth_constrained_ok = self.bandwidth_constrained_ok

        restricted_satellite_ok = self.restricted_satellite_ok

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if click_action is not UNSET:
            field_dict["click_action"] = click_action
        if visibility is not UNSET:
            field_dict["visibility"] = visibility
        if notification_count is not UNSET:
            field_dict["notification_count"] = notification_count
        if proxy is not UNSET:
            field_dict["proxy"] = proxy
        if analytics_label is not UNSET:
            field_dict["analytics_label"] = analytics_label
        if direct_boot_ok is not UNSET:
            field_dict["direct_boot_ok"] = direct_boot_ok
        if bandwidth_constrained_ok is not UNSET:
            field_dict["bandwidth_constrained_ok"] = bandwidth_constrained_ok
        if restricted_satellite_ok is not UNSET:
            field_dict["restricted_satellite_ok"] = restricted_satellite_ok

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        click_action = d.pop("click_action", UNSET)

        _visibility = d.pop("visibility", UNSET)
        visibility: NotificationRequestAndroidVisibility | Unset
        if isinstance(_visibility, Unset):
            visibility = UNSET
        else:
            visibility = check_notification_request_android_visibility(_visibility)

        notification_count = d.pop("notification_count", UNSET)

        _proxy = d.pop("proxy", UNSET)
        proxy: NotificationRequestAndroidProxy | Unset
        if isinstance(_proxy, Unset):
            proxy = UNSET
        else:
            proxy = check_notification_request_android_proxy(_proxy)

        analytics_label = d.pop("analytics_label", UNSET)

        direct_boot_ok = d.pop("direct_boot_ok", UNSET)

        bandwidth_constrained_ok = d.pop("bandwidth_constrained_ok", UNSET)

        restricted_satellite_ok = d.pop("restricted_satellite_ok", UNSET)

        notification_request_android = cls(
            click_action=click_action,
            visibility=visibility,
            notification_count=notification_count,
            proxy=proxy,
            analytics_label=analytics_label,
            direct_boot_ok=direct_boot_ok,
            bandwidth_constrained_ok=bandwidth_constrained_ok,
            restricted_satellite_ok=restricted_satellite_ok,
        )

        return notification_request_android
