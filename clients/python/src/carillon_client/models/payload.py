from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.payload_interruption_level import (
    PayloadInterruptionLevel,
    check_payload_interruption_level,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="Payload")


@_attrs_define
class Payload:
    """Any other key belongs to the app and is passed on unchanged, whatever its value.

    Attributes:
        alert (str | Unset): The text that is shown.
        title (str | Unset): Shown above `alert`.
        subtitle (str | Unset): Shown between `title` and `alert` on iOS.
        loc_key (str | Unset): The key of a text in the app’s own resources, shown in the phone’s language instead of
            `alert`.
        loc_args (list[str] | Unset): The values of the placeholders in the text of `loc_key`.
        title_loc_key (str | Unset): The key of a text in the app’s own resources, shown in the phone’s language instead
            of `title`.
        title_loc_args (list[str] | Unset): The values of the placeholders in the text of `title_loc_key`.
        subtitle_loc_key (str | Unset): The key of a text in the app’s own resources, shown in the phone’s language
            instead of `subtitle`.
        subtitle_loc_args (list[str] | Unset): The values of the placeholders in the text of `subtitle_loc_key`.
        badge (int | Unset): The number on the app’s icon. iOS only.
        sound (str | Unset): The name of a sound file. iOS only.
        collapse_key (str | Unset): A later push with the same key replaces this one on the device. At most 64 bytes of
            UTF-8.
        content_available (bool | Unset): Wakes the app in the background. iOS only.
        mutable_content (bool | Unset): Lets the app change the push before it is shown. iOS only.
        category (str | Unset): The name of one of the app’s interactive notification categories.
        interruption_level (PayloadInterruptionLevel | Unset): iOS 15 or later. If left out, `active`.
        relevance_score (float | Unset): iOS 15 or later. At most two decimal places.
        image (Any | Unset): The https address of a picture. Android loads it if Android draws the push; on iOS the app
            loads it (`mutable_content`).
        field_channel_id (str | Unset): The id of a notification channel that the app has created. Android only.
    """

    alert: str | Unset = UNSET
    title: str | Unset = UNSET
    subtitle: str | Unset = UNSET
    loc_key: str | Unset = UNSET
    loc_args: list[str] | Unset = UNSET
    title_loc_key: str | Unset = UNSET
    title_loc_args: list[str] | Unset = UNSET
    subtitle_loc_key: str | Unset = UNSET
    subtitle_loc_args: list[str] | Unset = UNSET
    badge: int | Unset = UNSET
    sound: str | Unset = UNSET
    collapse_key: str | Unset = UNSET
    content_available: bool | Unset = UNSET
    mutable_content: bool | Unset = UNSET
    category: str | Unset = UNSET
    interruption_level: PayloadInterruptionLevel | Unset = UNSET
    relevance_score: float | Unset = UNSET
    image: Any | Unset = UNSET
    field_channel_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        alert = self.alert

        title = self.title

        subtitle = self.subtitle

        loc_key = self.loc_key

        loc_args: list[str] | Unset = UNSET
        if not isinstance(self.loc_args, Unset):
            loc_args = self.loc_args

        title_loc_key = self.title_loc_key

        title_loc_args: list[str] | Unset = UNSET
        if not isinstance(self.title_loc_args, Unset):
            title_loc_args = self.title_loc_args

        subtitle_loc_key = self.subtitle_loc_key

        subtitle_loc_args: list[str] | Unset = UNSET
        if not isinstance(self.subtitle_loc_args, Unset):
            subtitle_loc_args = self.subtitle_loc_args

        badge = self.badge

        sound = self.sound

        collapse_key = self.collapse_key

        content_available = self.content_available

        mutable_content = self.mutable_content

        category = self.category

        interruption_level: str | Unset = UNSET
        if not isinstance(self.interruption_level, Unset):
            interruption_level = self.interruption_level

        relevance_score = self.relevance_score

        image = self.image

        field_channel_id = self.field_channel_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if alert is not UNSET:
            field_dict["alert"] = alert
        if title is not UNSET:
            field_dict["title"] = title
        if subtitle is not UNSET:
            field_dict["subtitle"] = subtitle
        if loc_key is not UNSET:
            field_dict["loc_key"] = loc_key
        if loc_args is not UNSET:
            field_dict["loc_args"] = loc_args
        if title_loc_key is not UNSET:
            field_dict["title_loc_key"] = title_loc_key
        if title_loc_args is not UNSET:
            field_dict["title_loc_args"] = title_loc_args
        if subtitle_loc_key is not UNSET:
            field_dict["subtitle_loc_key"] = subtitle_loc_key
        if subtitle_loc_args is not UNSET:
            field_dict["subtitle_loc_args"] = subtitle_loc_args
        if badge is not UNSET:
            field_dict["badge"] = badge
        if sound is not UNSET:
            field_dict["sound"] = sound
        if collapse_key is not UNSET:
            field_dict["collapse_key"] = collapse_key
        if content_available is not UNSET:
            field_dict["content_available"] = content_available
        if mutable_content is not UNSET:
            field_dict["mutable_content"] = mutable_content
        if category is not UNSET:
            field_dict["category"] = category
        if interruption_level is not UNSET:
            field_dict["interruption_level"] = interruption_level
        if relevance_score is not UNSET:
            field_dict["relevance_score"] = relevance_score
        if image is not UNSET:
            field_dict["image"] = image
        if field_channel_id is not UNSET:
            field_dict["_channel_id"] = field_channel_id

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        alert = d.pop("alert", UNSET)

        title = d.pop("title", UNSET)

        subtitle = d.pop("subtitle", UNSET)

        loc_key = d.pop("loc_key", UNSET)

        loc_args = cast(list[str], d.pop("loc_args", UNSET))

        title_loc_key = d.pop("title_loc_key", UNSET)

        title_loc_args = cast(list[str], d.pop("title_loc_args", UNSET))

        subtitle_loc_key = d.pop("subtitle_loc_key", UNSET)

        subtitle_loc_args = cast(list[str], d.pop("subtitle_loc_args", UNSET))

        badge = d.pop("badge", UNSET)

        sound = d.pop("sound", UNSET)

        collapse_key = d.pop("collapse_key", UNSET)

        content_available = d.pop("content_available", UNSET)

        mutable_content = d.pop("mutable_content", UNSET)

        category = d.pop("category", UNSET)

        _interruption_level = d.pop("interruption_level", UNSET)
        interruption_level: PayloadInterruptionLevel | Unset
        if isinstance(_interruption_level, Unset):
            interruption_level = UNSET
        else:
            interruption_level = check_payload_interruption_level(_interruption_level)

        relevance_score = d.pop("relevance_score", UNSET)

        image = d.pop("image", UNSET)

        field_channel_id = d.pop("_channel_id", UNSET)

        payload = cls(
            alert=alert,
            title=title,
            subtitle=subtitle,
            loc_key=loc_key,
            loc_args=loc_args,
            title_loc_key=title_loc_key,
            title_loc_args=title_loc_args,
            subtitle_loc_key=subtitle_loc_key,
            subtitle_loc_args=subtitle_loc_args,
            badge=badge,
            sound=sound,
            collapse_key=collapse_key,
            content_available=content_available,
            mutable_content=mutable_content,
            category=category,
            interruption_level=interruption_level,
            relevance_score=relevance_score,
            image=image,
            field_channel_id=field_channel_id,
        )

        payload.additional_properties = d
        return payload

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
