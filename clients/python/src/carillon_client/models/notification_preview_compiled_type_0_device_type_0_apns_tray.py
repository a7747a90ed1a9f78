from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.notification_preview_compiled_type_0_device_type_0_apns_tray_interruption_level import (
    NotificationPreviewCompiledType0DeviceType0ApnsTrayInterruptionLevel,
    check_notification_preview_compiled_type_0_device_type_0_apns_tray_interruption_level,
)
from ..models.notification_preview_compiled_type_0_device_type_0_apns_tray_push_type import (
    NotificationPreviewCompiledType0DeviceType0ApnsTrayPushType,
    check_notification_preview_compiled_type_0_device_type_0_apns_tray_push_type,
)

T = TypeVar("T", bound="NotificationPreviewCompiledType0DeviceType0ApnsTray")


@_attrs_define
class NotificationPreviewCompiledType0DeviceType0ApnsTray:
    """
    Attributes:
        is_shown (bool): False for a push without a text, which shows nothing.
        title (None | str):
        subtitle (None | str):
        body (None | str):
        image (None | str): Shown only if the app loads it, which needs `is_mutable`.
        badge (int | None): The number on the app’s icon; null leaves it as it is.
        sound (None | str): The name of the sound.
        is_critical (bool): Whether the sound is that of a critical alert.
        volume (float | None): Of a critical alert.
        thread_id (None | str): iOS groups notifications by it.
        category (None | str): Chooses the action buttons, which the app has registered.
        interruption_level (NotificationPreviewCompiledType0DeviceType0ApnsTrayInterruptionLevel):
        relevance_score (float | None):
        is_mutable (bool): Whether the app may change the push before it is shown.
        wakes_app (bool): Whether iOS is asked to wake the app in the background.
        push_type (NotificationPreviewCompiledType0DeviceType0ApnsTrayPushType):
        priority (int): `apns-priority`: 10 is sent at once, 5 when the device’s battery allows.
        collapse_id (None | str): A later push with the same id replaces this one; null for Live Activities and most
            other push types.
        expires_at (datetime.datetime | None): Null: Apple tries once and does not keep the push.
    """

    is_shown: bool
    title: None | str
    subtitle: None | str
    body: None | str
    image: None | str
    badge: int | None
    sound: None | str
    is_critical: bool
    volume: float | None
    thread_id: None | str
    category: None | str
    interruption_level: (
        NotificationPreviewCompiledType0DeviceType0ApnsTrayInterruptionLevel
    )
    relevance_score: float | None
    is_mutable: bool
    wakes_app: bool
    push_type: NotificationPreviewCompiledType0DeviceType0ApnsTrayPushType
    priority: int
    collapse_id: None | str
    expires_at: datetime.datetime | None

    def to_dict(self) -> dict[str, Any]:
        is_shown = self.is_shown

        title: None | str
        title = self.title

        subtitle: None | str
        subtitle = self.subtitle

        body: None | str
        body = self.body

        image: None | str
        image = self.image

        badge: int | None
        badge = self.badge

        sound: None | str
        sound = self.sound

        is_critical = self.is_critical

        volume: float | None
        volume = self.volume

        thread_id: None | str
        thread_id = self.thread_id

        category: None | str
        category = self.category

        interruption_level: str = self.interruption_level

        relevance_score: float | None
        relevance_score = self.relevance_score

        is_mutable = self.is_mutable

        wakes_app = self.wakes_app

        push_type: str = self.push_type

        priority = self.priority

        collapse_id: None | str
        collapse_id = self.collapse_id

        expires_at: None | str
        if isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "is_shown": is_shown,
                "title": title,
                "subtitle": subtitle,
                "body": body,
                "image": image,
                "badge": badge,
                "sound": sound,
                "is_critical": is_critical,
                "volume": volume,
                "thread_id": thread_id,
                "category": category,
                "interruption_level": interruption_level,
                "relevance_score": relevance_score,
                "is_mutable": is_mutable,
                "wakes_app": wakes_app,
                "push_type": push_type,
                "priority": priority,
                "collapse_id": collapse_id,
                "expires_at": expires_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        is_shown = d.pop("is_shown")

        def _parse_title(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        title = _parse_title(d.pop("title"))

        def _parse_subtitle(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        subtitle = _parse_subtitle(d.pop("subtitle"))

        def _parse_body(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        body = _parse_body(d.pop("body"))

        def _parse_image(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        image = _parse_image(d.pop("image"))

        def _parse_badge(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        badge = _parse_badge(d.pop("badge"))

        def _parse_sound(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        sound = _parse_sound(d.pop("sound"))

        is_critical = d.pop("is_critical")

        def _parse_volume(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        volume = _parse_volume(d.pop("volume"))

        def _parse_thread_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        thread_id = _parse_thread_id(d.pop("thread_id"))

        def _parse_category(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        category = _parse_category(d.pop("category"))

        interruption_level = check_notification_preview_compiled_type_0_device_type_0_apns_tray_interruption_level(
            d.pop("interruption_level")
        )

        def _parse_relevance_score(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        relevance_score = _parse_relevance_score(d.pop("relevance_score"))

        is_mutable = d.pop("is_mutable")

        wakes_app = d.pop("wakes_app")

        push_type = check_notification_preview_compiled_type_0_device_type_0_apns_tray_push_type(
            d.pop("push_type")
        )

        priority = d.pop("priority")

        def _parse_collapse_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        collapse_id = _parse_collapse_id(d.pop("collapse_id"))

        def _parse_expires_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                expires_at_type_0 = datetime.datetime.fromisoformat(data)

                return expires_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        expires_at = _parse_expires_at(d.pop("expires_at"))

        notification_preview_compiled_type_0_device_type_0_apns_tray = cls(
            is_shown=is_shown,
            title=title,
            subtitle=subtitle,
            body=body,
            image=image,
            badge=badge,
            sound=sound,
            is_critical=is_critical,
            volume=volume,
            thread_id=thread_id,
            category=category,
            interruption_level=interruption_level,
            relevance_score=relevance_score,
            is_mutable=is_mutable,
            wakes_app=wakes_app,
            push_type=push_type,
            priority=priority,
            collapse_id=collapse_id,
            expires_at=expires_at,
        )

        return notification_preview_compiled_type_0_device_type_0_apns_tray
