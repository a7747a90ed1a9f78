from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.device_update_notifications_allowed_type_0 import (
    DeviceUpdateNotificationsAllowedType0,
    check_device_update_notifications_allowed_type_0,
)
from ..models.device_update_platform import (
    DeviceUpdatePlatform,
    check_device_update_platform,
)
from ..models.device_update_push_token_type_type_0 import (
    DeviceUpdatePushTokenTypeType0,
    check_device_update_push_token_type_type_0,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.custom_attributes import CustomAttributes
    from ..models.device_quiet_hours import DeviceQuietHours
    from ..models.place import Place


T = TypeVar("T", bound="DeviceUpdate")


@_attrs_define
class DeviceUpdate:
    """
    Attributes:
        platform (DeviceUpdatePlatform | Unset):
        push_token (None | str | Unset):
        push_token_type (DeviceUpdatePushTokenTypeType0 | None | Unset):
        locale (None | str | Unset): A language and a country: `en_GB`; the language alone if that is all that is known.
            It is read as phones send it (`en-gb`, `zh-Hans-CN`, `zh_CN_#Hans`, `en_US@rg=gbzzzz`, `iw_IL`) and stored in
            this form.
        script (None | str | Unset): The script of `locale`, such as `Hans`. It decides which translation suits. Only
            with `locale`, where it may stand as well.
        time_zone (None | str | Unset): The IANA name of a time zone: `Europe/Berlin`. `europe/berlin` is stored as
            `Europe/Berlin`.
        quiet_hours (DeviceQuietHours | None | Unset):
        badge (int | None | Unset):
        os_name (None | str | Unset):
        os_version (None | str | Unset):
        app_version (None | str | Unset):
        sdk_version (None | str | Unset):
        country (None | str | Unset):
        marketing_name (None | str | Unset):
        user_id (None | str | Unset):
        user_email (None | str | Unset):
        development (bool | None | Unset): Whether pushes go through Apple’s sandbox gateway.
        notifications_allowed (DeviceUpdateNotificationsAllowedType0 | None | Unset):
        tags (list[str] | None | Unset):
        location (None | Place | Unset):
        sdk_location (None | Place | Unset):
        custom (CustomAttributes | None | Unset):
        id (Any | Unset): Set by the server; ignored in requests.
        created_at (Any | Unset): Set by the server; ignored in requests.
        registered_at (Any | Unset): Set by the server; ignored in requests.
        events (Any | Unset): Set by the server; ignored in requests.
    """

    platform: DeviceUpdatePlatform | Unset = UNSET
    push_token: None | str | Unset = UNSET
    push_token_type: DeviceUpdatePushTokenTypeType0 | None | Unset = UNSET
    locale: None | str | Unset = UNSET
    script: None | str | Unset = UNSET
    time_zone: None | str | Unset = UNSET
    quiet_hours: DeviceQuietHours | None | Unset = UNSET
    badge: int | None | Unset = UNSET
    os_name: None | str | Unset = UNSET
    os_version: None | str | Unset = UNSET
    app_version: None | str | Unset = UNSET
    sdk_version: None | str | Unset = UNSET
    country: None | str | Unset = UNSET
    marketing_name: None | str | Unset = UNSET
    user_id: None | str | Unset = UNSET
    user_email: None | str | Unset = UNSET
    development: bool | None | Unset = UNSET
    notifications_allowed: DeviceUpdateNotificationsAllowedType0 | None | Unset = UNSET
    tags: list[str] | None | Unset = UNSET
    location: None | Place | Unset = UNSET
    sdk_location: None | Place | Unset = UNSET
    custom: CustomAttributes | None | Unset = UNSET
    id: Any | Unset = UNSET
    created_at: Any | Unset = UNSET
    registered_at: Any | Unset = UNSET
    events: Any | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.custom_attributes import CustomAttributes
        from ..models.device_quiet_hours import DeviceQuietHours
        from ..models.place import Place

        platform: str | Unset = UNSET
        if not isinstance(self.platform, Unset):
            platform = self.platform

        push_token: None | str | Unset
        if isinstance(self.push_token, Unset):
            push_token = UNSET
        else:
            push_token = self.push_token

        push_token_type: None | str | Unset
        if isinstance(self.push_token_type, Unset):
            push_token_type = UNSET
        elif isinstance(self.push_token_type, str):
            push_token_type = self.push_token_type
        else:
            push_token_type = self.push_token_type

        locale: None | str | Unset
        if isinstance(self.locale, Unset):
            locale = UNSET
        else:
            locale = self.locale

        script: None | str | Unset
        if isinstance(self.script, Unset):
            script = UNSET
        else:
            script = self.script

        time_zone: None | str | Unset
        if isinstance(self.time_zone, Unset):
            time_zone = UNSET
        else:
            time_zone = self.time_zone

        quiet_hours: dict[str, Any] | None | Unset
        if isinstance(self.quiet_hours, Unset):
            quiet_hours = UNSET
        elif isinstance(self.quiet_hours, DeviceQuietHours):
            quiet_hours = self.quiet_hours.to_dict()
        else:
            quiet_hours = self.quiet_hours

        badge: int | None | Unset
        if isinstance(self.badge, Unset):
            badge = UNSET
        else:
            badge = self.badge

        os_name: None | str | Unset
        if isinstance(self.os_name, Unset):
            os_name = UNSET
        else:
            os_name = self.os_name

        os_version: None | str | Unset
        if isinstance(self.os_version, Unset):
            os_version = UNSET
        else:
            os_version = self.os_version

        app_version: None | str | Unset
        if isinstance(self.app_version, Unset):
            app_version = UNSET
        else:
            app_version = self.app_version

        sdk_version: None | str | Unset
        if isinstance(self.sdk_version, Unset):
            sdk_version = UNSET
        else:
            sdk_version = self.sdk_version

        country: None | str | Unset
        if isinstance(self.country, Unset):
            country = UNSET
        else:
            country = self.country

        marketing_name: None | str | Unset
        if isinstance(self.marketing_name, Unset):
            marketing_name = UNSET
        else:
            marketing_name = self.marketing_name

        user_id: None | str | Unset
        if isinstance(self.user_id, Unset):
            user_id = UNSET
        else:
            user_id = self.user_id

        user_email: None | str | Unset
        if isinstance(self.user_email, Unset):
            user_email = UNSET
        else:
            user_email = self.user_email

        development: bool | None | Unset
        if isinstance(self.development, Unset):
            development = UNSET
        else:
            development = self.development

        notifications_allowed: None | str | Unset
        if isinstance(self.notifications_allowed, Unset):
            notifications_allowed = UNSET
        elif isinstance(self.notifications_allowed, str):
            notifications_allowed = self.notifications_allowed
        else:
            notifications_allowed = self.notifications_allowed

        tags: list[str] | None | Unset
        if isinstance(self.tags, Unset):
            tags = UNSET
        elif isinstance(self.tags, list):
            tags = self.tags

        else:
            tags = self.tags

        location: dict[str, Any] | None | Unset
        if isinstance(self.location, Unset):
            location = UNSET
        elif isinstance(self.location, Place):
            location = self.location.to_dict()
        else:
            location = self.location

        sdk_location: dict[str, Any] | None | Unset
        if isinstance(self.sdk_location, Unset):
            sdk_location = UNSET
        elif isinstance(self.sdk_location, Place):
            sdk_location = self.sdk_location.to_dict()
        else:
            sdk_location = self.sdk_location

        custom: dict[str, Any] | None | Unset
        if isinstance(self.custom, Unset):
            custom = UNSET
        elif isinstance(self.custom, CustomAttributes):
            custom = self.custom.to_dict()
        else:
            custom = self.custom

        id = self.id

        created_at = self.created_at

        registered_at = self.registered_at

        events = self.events

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if platform is not UNSET:
            field_dict["platform"] = platform
        if push_token is not UNSET:
            field_dict["push_token"] = push_token
        if push_token_type is not UNSET:
            field_dict["push_token_type"] = push_token_type
        if locale is not UNSET:
            field_dict["locale"] = locale
        if script is not UNSET:
            field_dict["script"] = script
        if time_zone is not UNSET:
            field_dict["time_zone"] = time_zone
        if quiet_hours is not UNSET:
            field_dict["quiet_hours"] = quiet_hours
        if badge is not UNSET:
            field_dict["badge"] = badge
        if os_name is not UNSET:
            field_dict["os_name"] = os_name
        if os_version is not UNSET:
            field_dict["os_version"] = os_version
        if app_version is not UNSET:
            field_dict["app_version"] = app_version
        if sdk_version is not UNSET:
            field_dict["sdk_version"] = sdk_version
        if country is not UNSET:
            field_dict["country"] = country
        if marketing_name is not UNSET:
            field_dict["marketing_name"] = marketing_name
        if user_id is not UNSET:
            field_dict["user_id"] = user_id
        if user_email is not UNSET:
            field_dict["user_email"] = user_email
        if development is not UNSET:
            field_dict["development"] = development
        if notifications_allowed is not UNSET:
            field_dict["notifications_allowed"] = notifications_allowed
        if tags is not UNSET:
            field_dict["tags"] = tags
        if location is not UNSET:
            field_dict["location"] = location
        if sdk_location is not UNSET:
            field_dict["sdk_location"] = sdk_location
        if custom is not UNSET:
            field_dict["custom"] = custom
        if id is not UNSET:
            field_dict["id"] = id
        if created_at is not UNSET:
            field_dict["created_at"] = created_at
        if registered_at is not UNSET:
            field_dict["registered_at"] = registered_at
        if events is not UNSET:
            field_dict["events"] = events

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.custom_attributes import CustomAttributes
        from ..models.device_quiet_hours import DeviceQuietHours
        from ..models.place import Place

        d = dict(src_dict)
        _platform = d.pop("platform", UNSET)
        platform: DeviceUpdatePlatform | Unset
        if isinstance(_platform, Unset):
            platform = UNSET
        else:
            platform = check_device_update_platform(_platform)

        def _parse_push_token(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        push_token = _parse_push_token(d.pop("push_token", UNSET))

        def _parse_push_token_type(
            data: object,
        ) -> DeviceUpdatePushTokenTypeType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                push_token_type_type_0 = check_device_update_push_token_type_type_0(
                    data
                )

                return push_token_type_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DeviceUpdatePushTokenTypeType0 | None | Unset, data)

        push_token_type = _parse_push_token_type(d.pop("push_token_type", UNSET))

        def _parse_locale(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        locale = _parse_locale(d.pop("locale", UNSET))

        def _parse_script(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        script = _parse_script(d.pop("script", UNSET))

        def _parse_time_zone(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        time_zone = _parse_time_zone(d.pop("time_zone", UNSET))

        def _parse_quiet_hours(data: object) -> DeviceQuietHours | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                quiet_hours_type_0 = DeviceQuietHours.from_dict(data)

                return quiet_hours_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DeviceQuietHours | None | Unset, data)

        quiet_hours = _parse_quiet_hours(d.pop("quiet_hours", UNSET))

        def _parse_badge(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        badge = _parse_badge(d.pop("badge", UNSET))

        def _parse_os_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        os_name = _parse_os_name(d.pop("os_name", UNSET))

        def _parse_os_version(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        os_version = _parse_os_version(d.pop("os_version", UNSET))

        def _parse_app_version(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        app_version = _parse_app_version(d.pop("app_version", UNSET))

        def _parse_sdk_version(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        sdk_version = _parse_sdk_version(d.pop("sdk_version", UNSET))

        def _parse_country(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        country = _parse_country(d.pop("country", UNSET))

        def _parse_marketing_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        marketing_name = _parse_marketing_name(d.pop("marketing_name", UNSET))

        def _parse_user_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        user_id = _parse_user_id(d.pop("user_id", UNSET))

        def _parse_user_email(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        user_email = _parse_user_email(d.pop("user_email", UNSET))

        def _parse_development(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        development = _parse_development(d.pop("development", UNSET))

        def _parse_notifications_allowed(
            data: object,
        ) -> DeviceUpdateNotificationsAllowedType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                notifications_allowed_type_0 = (
                    check_device_update_notifications_allowed_type_0(data)
                )

                return notifications_allowed_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DeviceUpdateNotificationsAllowedType0 | None | Unset, data)

        notifications_allowed = _parse_notifications_allowed(
            d.pop("notifications_allowed", UNSET)
        )

        def _parse_tags(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                tags_type_0 = cast(list[str], data)

                return tags_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        tags = _parse_tags(d.pop("tags", UNSET))

        def _parse_location(data: object) -> None | Place | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                location_type_0 = Place.from_dict(data)

                return location_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Place | Unset, data)

        location = _parse_location(d.pop("location", UNSET))

        def _parse_sdk_location(data: object) -> None | Place | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                sdk_location_type_0 = Place.from_dict(data)

                return sdk_location_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Place | Unset, data)

        sdk_location = _parse_sdk_location(d.pop("sdk_location", UNSET))

        def _parse_custom(data: object) -> CustomAttributes | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                custom_type_0 = CustomAttributes.from_dict(data)

                return custom_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CustomAttributes | None | Unset, data)

        custom = _parse_custom(d.pop("custom", UNSET))

        id = d.pop("id", UNSET)

        created_at = d.pop("created_at", UNSET)

        registered_at = d.pop("registered_at", UNSET)

        events = d.pop("events", UNSET)

        device_update = cls(
            platform=platform,
            push_token=push_token,
            push_token_type=push_token_type,
            locale=locale,
            script=script,
            time_zone=time_zone,
            quiet_hours=quiet_hours,
            badge=badge,
            os_name=os_name,
            os_version=os_version,
            app_version=app_version,
            sdk_version=sdk_version,
            country=country,
            marketing_name=marketing_name,
            user_id=user_id,
            user_email=user_email,
            development=development,
            notifications_allowed=notifications_allowed,
            tags=tags,
            location=location,
            sdk_location=sdk_location,
            custom=custom,
            id=id,
            created_at=created_at,
            registered_at=registered_at,
            events=events,
        )

        return device_update
