from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.device_notifications_allowed import (
    DeviceNotificationsAllowed,
    check_device_notifications_allowed,
)
from ..models.device_platform import DevicePlatform, check_device_platform
from ..models.device_push_token_type import (
    DevicePushTokenType,
    check_device_push_token_type,
)

if TYPE_CHECKING:
    from ..models.device_custom import DeviceCustom
    from ..models.device_events import DeviceEvents
    from ..models.device_location_type_0 import DeviceLocationType0
    from ..models.device_quiet_hours_type_0 import DeviceQuietHoursType0
    from ..models.device_sdk_location_type_0 import DeviceSdkLocationType0


T = TypeVar("T", bound="Device")


@_attrs_define
class Device:
    """
    Attributes:
        id (UUID):
        platform (DevicePlatform):
        push_token (None | str): Null if the device has no token, or a gateway reported it dead.
        push_token_type (DevicePushTokenType): `fid`: a Firebase installation id, which FCM accepts instead of a token.
        locale (None | str): A language and a country, or a language alone.
        script (None | str): The script of `locale`, which decides which translation suits; null if it is the usual one.
        time_zone (None | str):
        quiet_hours (DeviceQuietHoursType0 | None): Hours of its clock in which nothing is sent to it. Null: those of
            the app apply.
        created_at (datetime.datetime): When it was first registered.
        registered_at (datetime.datetime): When it was last updated or registered. A registration that changes nothing
            renews it once a day.
        badge (int | None):
        os_name (None | str):
        os_version (None | str):
        app_version (None | str):
        sdk_version (None | str):
        country (None | str):
        marketing_name (None | str): The model of the device.
        user_id (None | str):
        user_email (None | str):
        development (bool): Whether pushes go through Apple’s sandbox gateway.
        notifications_allowed (DeviceNotificationsAllowed):
        tags (list[str]):
        location (DeviceLocationType0 | None): The location that the back end set, or the location of the IP address.
        sdk_location (DeviceSdkLocationType0 | None): The location from GPS.
        custom (DeviceCustom):
        events (DeviceEvents): The keys are the names that filters use: `<source>.<name>`, or `<name>`.
    """

    id: UUID
    platform: DevicePlatform
    push_token: None | str
    push_token_type: DevicePushTokenType
    locale: None | str
    script: None | str
    time_zone: None | str
    quiet_hours: DeviceQuietHoursType0 | None
    created_at: datetime.datetime
    registered_at: datetime.datetime
    badge: int | None
    os_name: None | str
    os_version: None | str
    app_version: None | str
    sdk_version: None | str
    country: None | str
    marketing_name: None | str
    user_id: None | str
    user_email: None | str
    development: bool
    notifications_allowed: DeviceNotificationsAllowed
    tags: list[str]
    location: DeviceLocationType0 | None
    sdk_location: DeviceSdkLocationType0 | None
    custom: DeviceCustom
    events: DeviceEvents

    def to_dict(self) -> dict[str, Any]:
        from ..models.device_location_type_0 import DeviceLocationType0
        from ..models.device_quiet_hours_type_0 import DeviceQuietHoursType0
        from ..models.device_sdk_location_type_0 import DeviceSdkLocationType0

        id = str(self.id)

        platform: str = self.platform

        push_token: None | str
        push_token = self.push_token

        push_token_type: str = self.push_token_type

        locale: None | str
        locale = self.locale

        script: None | str
        script = self.script

        time_zone: None | str
        time_zone = self.time_zone

        quiet_hours: dict[str, Any] | None
        if isinstance(self.quiet_hours, DeviceQuietHoursType0):
            quiet_hours = self.quiet_hours.to_dict()
        else:
            quiet_hours = self.quiet_hours

        created_at = self.created_at.isoformat()

        registered_at = self.registered_at.isoformat()

        badge: int | None
        badge = self.badge

        os_name: None | str
        os_name = self.os_name

        os_version: None | str
        os_version = self.os_version

        app_version: None | str
        app_version = self.app_version

        sdk_version: None | str
        sdk_version = self.sdk_version

        country: None | str
        country = self.country

        marketing_name: None | str
        marketing_name = self.marketing_name

        user_id: None | str
        user_id = self.user_id

        user_email: None | str
        user_email = self.user_email

        development = self.development

        notifications_allowed: str = self.notifications_allowed

        tags = self.tags

        location: dict[str, Any] | None
        if isinstance(self.location, DeviceLocationType0):
            location = self.location.to_dict()
        else:
            location = self.location

        sdk_location: dict[str, Any] | None
        if isinstance(self.sdk_location, DeviceSdkLocationType0):
            sdk_location = self.sdk_location.to_dict()
        else:
            sdk_location = self.sdk_location

        custom = self.custom.to_dict()

        events = self.events.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "platform": platform,
                "push_token": push_token,
                "push_token_type": push_token_type,
                "locale": locale,
                "script": script,
                "time_zone": time_zone,
                "quiet_hours": quiet_hours,
                "created_at": created_at,
                "registered_at": registered_at,
                "badge": badge,
                "os_name": os_name,
                "os_version": os_version,
                "app_version": app_version,
                "sdk_version": sdk_version,
                "country": country,
                "marketing_name": marketing_name,
                "user_id": user_id,
                "user_email": user_email,
                "development": development,
                "notifications_allowed": notifications_allowed,
                "tags": tags,
                "location": location,
                "sdk_location": sdk_location,
                "custom": custom,
                "events": events,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.device_custom import DeviceCustom
        from ..models.device_events import DeviceEvents
        from ..models.device_location_type_0 import DeviceLocationType0
        from ..models.device_quiet_hours_type_0 import DeviceQuietHoursType0
        from ..models.device_sdk_location_type_0 import DeviceSdkLocationType0

        d = dict(src_dict)
        id = UUID(d.pop("id"))

        platform = check_device_platform(d.pop("platform"))

        def _parse_push_token(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        push_token = _parse_push_token(d.pop("push_token"))

        push_token_type = check_device_push_token_type(d.pop("push_token_type"))

        def _parse_locale(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        locale = _parse_locale(d.pop("locale"))

        def _parse_script(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        script = _parse_script(d.pop("script"))

        def _parse_time_zone(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        time_zone = _parse_time_zone(d.pop("time_zone"))

        def _parse_quiet_hours(data: object) -> DeviceQuietHoursType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                quiet_hours_type_0 = DeviceQuietHoursType0.from_dict(data)

                return quiet_hours_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DeviceQuietHoursType0 | None, data)

        quiet_hours = _parse_quiet_hours(d.pop("quiet_hours"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        registered_at = datetime.datetime.fromisoformat(d.pop("registered_at"))

        def _parse_badge(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        badge = _parse_badge(d.pop("badge"))

        def _parse_os_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        os_name = _parse_os_name(d.pop("os_name"))

        def _parse_os_version(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        os_version = _parse_os_version(d.pop("os_version"))

        def _parse_app_version(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        app_version = _parse_app_version(d.pop("app_version"))

        def _parse_sdk_version(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        sdk_version = _parse_sdk_version(d.pop("sdk_version"))

        def _parse_country(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        country = _parse_country(d.pop("country"))

        def _parse_marketing_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        marketing_name = _parse_marketing_name(d.pop("marketing_name"))

        def _parse_user_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        user_id = _parse_user_id(d.pop("user_id"))

        def _parse_user_email(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        user_email = _parse_user_email(d.pop("user_email"))

        development = d.pop("development")

        notifications_allowed = check_device_notifications_allowed(
            d.pop("notifications_allowed")
        )

        tags = cast(list[str], d.pop("tags"))

        def _parse_location(data: object) -> DeviceLocationType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                location_type_0 = DeviceLocationType0.from_dict(data)

                return location_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DeviceLocationType0 | None, data)

        location = _parse_location(d.pop("location"))

        def _parse_sdk_location(data: object) -> DeviceSdkLocationType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                sdk_location_type_0 = DeviceSdkLocationType0.from_dict(data)

                return sdk_location_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DeviceSdkLocationType0 | None, data)

        sdk_location = _parse_sdk_location(d.pop("sdk_location"))

        custom = DeviceCustom.from_dict(d.pop("custom"))

        events = DeviceEvents.from_dict(d.pop("events"))

        device = cls(
            id=id,
            platform=platform,
            push_token=push_token,
            push_token_type=push_token_type,
            locale=locale,
            script=script,
            time_zone=time_zone,
            quiet_hours=quiet_hours,
            created_at=created_at,
            registered_at=registered_at,
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
            events=events,
        )

        return device
