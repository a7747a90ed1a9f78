from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.notification_preview_compiled_type_0_versions_item_fcm_type_0_tray_drawn_by import (
    NotificationPreviewCompiledType0VersionsItemFcmType0TrayDrawnBy,
    check_notification_preview_compiled_type_0_versions_item_fcm_type_0_tray_drawn_by,
)
from ..models.notification_preview_compiled_type_0_versions_item_fcm_type_0_tray_priority import (
    NotificationPreviewCompiledType0VersionsItemFcmType0TrayPriority,
    check_notification_preview_compiled_type_0_versions_item_fcm_type_0_tray_priority,
)

T = TypeVar("T", bound="NotificationPreviewCompiledType0VersionsItemFcmType0Tray")


@_attrs_define
class NotificationPreviewCompiledType0VersionsItemFcmType0Tray:
    """
    Attributes:
        drawn_by (NotificationPreviewCompiledType0VersionsItemFcmType0TrayDrawnBy): `app`: the app draws the push from
            its data, and may draw it differently.
        is_shown (bool): False for a push without a title and a text.
        title (None | str):
        body (None | str):
        image (None | str):
        icon (None | str): A drawable of the app; null: the one in its manifest.
        color (None | str): `#rrggbb`; null: the one in its manifest.
        sound (None | str):
        category (None | str): Chooses the action buttons, which the app has registered.
        click_action (None | str): The action of the intent that a tap starts; null: a tap opens the app.
        visibility (None | str): `PRIVATE`, `PUBLIC` or `SECRET`; null: the app’s default.
        notification_count (int | None):
        channel_id (None | str): Decides about sound and importance; null: the app’s default channel.
        priority (NotificationPreviewCompiledType0VersionsItemFcmType0TrayPriority):
        collapse_id (str): A later push with the same id replaces this one.
        time_to_live_seconds (int):
    """

    drawn_by: NotificationPreviewCompiledType0VersionsItemFcmType0TrayDrawnBy
    is_shown: bool
    title: None | str
    body: None | str
    image: None | str
    icon: None | str
    color: None | str
    sound: None | str
    category: None | str
    click_action: None | str
    visibility: None | str
    notification_count: int | None
    channel_id: None | str
    priority: NotificationPreviewCompiledType0VersionsItemFcmType0TrayPriority
    collapse_id: str
    time_to_live_seconds: int

    def to_dict(self) -> dict[str, Any]:
        drawn_by: str = self.drawn_by

        is_shown = self.is_shown

        title: None | str
        title = self.title

        body: None | str
        body = self.body

        image: None | str
        image = self.image

        icon: None | str
        icon = self.icon

        color: None | str
        color = self.color

        sound: None | str
        sound = self.sound

        category: None | str
        category = self.category

        click_action: None | str
        click_action = self.click_action

        visibility: None | str
        visibility = self.visibility

        notification_count: int | None
        notification_count = self.notification_count

        channel_id: None | str
        channel_id = self.channel_id

        priority: str = self.priority

        collapse_id = self.collapse_id

        time_to_live_seconds = self.time_to_live_seconds

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "drawn_by": drawn_by,
                "is_shown": is_shown,
                "title": title,
                "body": body,
                "image": image,
                "icon": icon,
                "color": color,
                "sound": sound,
                "category": category,
                "click_action": click_action,
                "visibility": visibility,
                "notification_count": notification_count,
                "channel_id": channel_id,
                "priority": priority,
                "collapse_id": collapse_id,
                "time_to_live_seconds": time_to_live_seconds,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        drawn_by = check_notification_preview_compiled_type_0_versions_item_fcm_type_0_tray_drawn_by(
            d.pop("drawn_by")
        )

        is_shown = d.pop("is_shown")

        def _parse_title(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        title = _parse_title(d.pop("title"))

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

        def _parse_icon(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        icon = _parse_icon(d.pop("icon"))

        def _parse_color(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        color = _parse_color(d.pop("color"))

        def _parse_sound(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        sound = _parse_sound(d.pop("sound"))

        def _parse_category(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        category = _parse_category(d.pop("category"))

        def _parse_click_action(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        click_action = _parse_click_action(d.pop("click_action"))

        def _parse_visibility(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        visibility = _parse_visibility(d.pop("visibility"))

        def _parse_notification_count(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        notification_count = _parse_notification_count(d.pop("notification_count"))

        def _parse_channel_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        channel_id = _parse_channel_id(d.pop("channel_id"))

        priority = check_notification_preview_compiled_type_0_versions_item_fcm_type_0_tray_priority(
            d.pop("priority")
        )

        collapse_id = d.pop("collapse_id")

        time_to_live_seconds = d.pop("time_to_live_seconds")

        notification_preview_compiled_type_0_versions_item_fcm_type_0_tray = cls(
            drawn_by=drawn_by,
            is_shown=is_shown,
            title=title,
            body=body,
            image=image,
            icon=icon,
            color=color,
            sound=sound,
            category=category,
            click_action=click_action,
            visibility=visibility,
            notification_count=notification_count,
            channel_id=channel_id,
            priority=priority,
            collapse_id=collapse_id,
            time_to_live_seconds=time_to_live_seconds,
        )

        return notification_preview_compiled_type_0_versions_item_fcm_type_0_tray
