from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.payload_changes_interruption_level_type_0 import (
    PayloadChangesInterruptionLevelType0,
    check_payload_changes_interruption_level_type_0,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="PayloadChanges")


@_attrs_define
class PayloadChanges:
    """Keys of a payload. A value replaces that of `payload`; null removes it.

    Attributes:
        alert (None | str | Unset):
        title (None | str | Unset):
        subtitle (None | str | Unset):
        loc_key (None | str | Unset):
        loc_args (list[str] | None | Unset):
        title_loc_key (None | str | Unset):
        title_loc_args (list[str] | None | Unset):
        subtitle_loc_key (None | str | Unset):
        subtitle_loc_args (list[str] | None | Unset):
        badge (int | None | Unset):
        sound (None | str | Unset):
        collapse_key (None | str | Unset):
        content_available (bool | None | Unset):
        mutable_content (bool | None | Unset):
        category (None | str | Unset):
        interruption_level (None | PayloadChangesInterruptionLevelType0 | Unset):
        relevance_score (float | None | Unset):
        image (Any | None | Unset):
        field_channel_id (None | str | Unset):
    """

    alert: None | str | Unset = UNSET
    title: None | str | Unset = UNSET
    subtitle: None | str | Unset = UNSET
    loc_key: None | str | Unset = UNSET
    loc_args: list[str] | None | Unset = UNSET
    title_loc_key: None | str | Unset = UNSET
    title_loc_args: list[str] | None | Unset = UNSET
    subtitle_loc_key: None | str | Unset = UNSET
    subtitle_loc_args: list[str] | None | Unset = UNSET
    badge: int | None | Unset = UNSET
    sound: None | str | Unset = UNSET
    collapse_key: None | str | Unset = UNSET
    content_available: bool | None | Unset = UNSET
    mutable_content: bool | None | Unset = UNSET
    category: None | str | Unset = UNSET
    interruption_level: None | PayloadChangesInterruptionLevelType0 | Unset = UNSET
    relevance_score: float | None | Unset = UNSET
    image: Any | None | Unset = UNSET
    field_channel_id: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        alert: None | str | Unset
        if isinstance(self.alert, Unset):
            alert = UNSET
        else:
            alert = self.alert

        title: None | str | Unset
        if isinstance(self.title, Unset):
            title = UNSET
        else:
            title = self.title

        subtitle: None | str | Unset
        if isinstance(self.subtitle, Unset):
            subtitle = UNSET
        else:
            subtitle = self.subtitle

        loc_key: None | str | Unset
        if isinstance(self.loc_key, Unset):
            loc_key = UNSET
        else:
            loc_key = self.loc_key

        loc_args: list[str] | None | Unset
        if isinstance(self.loc_args, Unset):
            loc_args = UNSET
        elif isinstance(self.loc_args, list):
            loc_args = self.loc_args

        else:
            loc_args = self.loc_args

        title_loc_key: None | str | Unset
        if isinstance(self.title_loc_key, Unset):
            title_loc_key = UNSET
        else:
            title_loc_key = self.title_loc_key

        title_loc_args: list[str] | None | Unset
        if isinstance(self.title_loc_args, Unset):
            title_loc_args = UNSET
        elif isinstance(self.title_loc_args, list):
            title_loc_args = self.title_loc_args

        else:
            title_loc_args = self.title_loc_args

        subtitle_loc_key: None | str | Unset
        if isinstance(self.subtitle_loc_key, Unset):
            subtitle_loc_key = UNSET
        else:
            subtitle_loc_key = self.subtitle_loc_key

        subtitle_loc_args: list[str] | None | Unset
        if isinstance(self.subtitle_loc_args, Unset):
            subtitle_loc_args = UNSET
        elif isinstance(self.subtitle_loc_args, list):
            subtitle_loc_args = self.subtitle_loc_args

        else:
            subtitle_loc_args = self.subtitle_loc_args

        badge: int | None | Unset
        if isinstance(self.badge, Unset):
            badge = UNSET
        else:
            badge = self.badge

        sound: None | str | Unset
        if isinstance(self.sound, Unset):
            sound = UNSET
        else:
            sound = self.sound

        collapse_key: None | str | Unset
        if isinstance(self.collapse_key, Unset):
            collapse_key = UNSET
        else:
            collapse_key = self.collapse_key

        content_available: bool | None | Unset
        if isinstance(self.content_available, Unset):
            content_available = UNSET
        else:
            content_available = self.content_available

        mutable_content: bool | None | Unset
        if isinstance(self.mutable_content, Unset):
            mutable_content = UNSET
        else:
            mutable_content = self.mutable_content

        category: None | str | Unset
        if isinstance(self.category, Unset):
            category = UNSET
        else:
            category = self.category

        interruption_level: None | str | Unset
        if isinstance(self.interruption_level, Unset):
            interruption_level = UNSET
        elif isinstance(self.interruption_level, str):
            interruption_level = self.interruption_level
        else:
            interruption_level = self.interruption_level

        relevance_score: float | None | Unset
        if isinstance(self.relevance_score, Unset):
            relevance_score = UNSET
        else:
            relevance_score = self.relevance_score

        image: Any | None | Unset
        if isinstance(self.image, Unset):
            image = UNSET
        else:
            image = self.image

        field_channel_id: None | str | Unset
        if isinstance(self.field_channel_id, Unset):
            field_channel_id = UNSET
        else:
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

        def _parse_alert(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        alert = _parse_alert(d.pop("alert", UNSET))

        def _parse_title(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        title = _parse_title(d.pop("title", UNSET))

        def _parse_subtitle(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        subtitle = _parse_subtitle(d.pop("subtitle", UNSET))

        def _parse_loc_key(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        loc_key = _parse_loc_key(d.pop("loc_key", UNSET))

        def _parse_loc_args(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                loc_args_type_0 = cast(list[str], data)

                return loc_args_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        loc_args = _parse_loc_args(d.pop("loc_args", UNSET))

        def _parse_title_loc_key(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        title_loc_key = _parse_title_loc_key(d.pop("title_loc_key", UNSET))

        def _parse_title_loc_args(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                title_loc_args_type_0 = cast(list[str], data)

                return title_loc_args_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        title_loc_args = _parse_title_loc_args(d.pop("title_loc_args", UNSET))

        def _parse_subtitle_loc_key(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        subtitle_loc_key = _parse_subtitle_loc_key(d.pop("subtitle_loc_key", UNSET))

        def _parse_subtitle_loc_args(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                subtitle_loc_args_type_0 = cast(list[str], data)

                return subtitle_loc_args_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        subtitle_loc_args = _parse_subtitle_loc_args(d.pop("subtitle_loc_args", UNSET))

        def _parse_badge(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        badge = _parse_badge(d.pop("badge", UNSET))

        def _parse_sound(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        sound = _parse_sound(d.pop("sound", UNSET))

        def _parse_collapse_key(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        collapse_key = _parse_collapse_key(d.pop("collapse_key", UNSET))

        def _parse_content_available(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        content_available = _parse_content_available(d.pop("content_available", UNSET))

        def _parse_mutable_content(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        mutable_content = _parse_mutable_content(d.pop("mutable_content", UNSET))

        def _parse_category(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        category = _parse_category(d.pop("category", UNSET))

        def _parse_interruption_level(
            data: object,
        ) -> None | PayloadChangesInterruptionLevelType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                interruption_level_type_0 = (
                    check_payload_changes_interruption_level_type_0(data)
                )

                return interruption_level_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PayloadChangesInterruptionLevelType0 | Unset, data)

        interruption_level = _parse_interruption_level(
            d.pop("interruption_level", UNSET)
        )

        def _parse_relevance_score(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        relevance_score = _parse_relevance_score(d.pop("relevance_score", UNSET))

        def _parse_image(data: object) -> Any | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Any | None | Unset, data)

        image = _parse_image(d.pop("image", UNSET))

        def _parse_field_channel_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        field_channel_id = _parse_field_channel_id(d.pop("_channel_id", UNSET))

        payload_changes = cls(
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

        payload_changes.additional_properties = d
        return payload_changes

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
