from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.registered_device_device_notifications_allowed import (
    RegisteredDeviceDeviceNotificationsAllowed,
    check_registered_device_device_notifications_allowed,
)
from ..models.registered_device_device_platform import (
    RegisteredDeviceDevicePlatform,
    check_registered_device_device_platform,
)
from ..models.registered_device_device_push_token_type import (
    RegisteredDeviceDevicePushTokenType,
    check_registered_device_device_push_token_type,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.registered_device_device_custom import RegisteredDeviceDeviceCustom
    from ..models.registered_device_device_events import RegisteredDeviceDeviceEvents
    from ..models.registered_device_device_location_type_0 import (
        RegisteredDeviceDeviceLocationType0,
    )
    from ..models.registered_device_device_quiet_hours_type_0 import (
        RegisteredDeviceDeviceQuietHoursType0,
    )
    from ..models.registered_device_device_sdk_location_type_0 import (
        RegisteredDeviceDeviceSdkLocationType0,
    )


T = TypeVar("T", bound="RegisteredDeviceDevice")


@_attrs_define
class RegisteredDeviceDevice:
    """A key without `read` gets push_token, user_id, user_email, location, sdk_location only if the call itself sent them.

    Attributes:
        id (UUID):
        platform (RegisteredDeviceDevicePlatform):
        push_token_type (RegisteredDeviceDevicePushTokenType): `fid`: a Firebase installation id, which FCM accepts
            instead of a token.
        locale (None | str): A language and a country, or a language alone.
        script (None | str): The script of `locale`, which decides which translation suits; null if it is the usual one.
        time_zone (None | str):
        quiet_hours (None | RegisteredDeviceDeviceQuietHoursType0): Hours of its clock in which nothing is sent to it.
            Null: those of the app apply.
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
        development (bool): Whether pushes go through Apple’s sandbox gateway.
        notifications_allowed (RegisteredDeviceDeviceNotificationsAllowed):
        tags (list[str]):
        custom (RegisteredDeviceDeviceCustom):
        events (RegisteredDeviceDeviceEvents): The keys are the names that filters use: `<source>.<name>`, or `<name>`.
        push_token (None | str | Unset): Null if the device has no token, or a gateway reported it dead.
        user_id (None | str | Unset):
        user_email (None | str | Unset):
        location (None | RegisteredDeviceDeviceLocationType0 | Unset): The location that the back end set, or the
            location of the IP address.
        sdk_location (None | RegisteredDeviceDeviceSdkLocationType0 | Unset): The location from GPS.
    """

    id: UUID
    platform: RegisteredDeviceDevicePlatform
    push_token_type: RegisteredDeviceDevicePushTokenType
    locale: None | str
    script: None | str
    time_zone: None | str
    quiet_hours: None | RegisteredDeviceDeviceQuietHoursType0
    created_at: datetime.datetime
    registered_at: datetime.datetime
    badge: int | None
    os_name: None | str
    os_version: None | str
    app_version: None | str
    sdk_version: None | str
    country: None | str
    marketing_name: None | str
    development: bool
    notifications_allowed: RegisteredDeviceDeviceNotificationsAllowed
    tags: list[str]
    custom: RegisteredDeviceDeviceCustom
    events: RegisteredDeviceDeviceEvents
    push_token: None | str | Unset = UNSET
    user_id: None | str | Unset = UNSET
    user_email: None | str | Unset = UNSET
    location: None | RegisteredDeviceDeviceLocationType0 | Unset = UNSET
    sdk_location: None | RegisteredDeviceDeviceSdkLocationType0 | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.registered_device_device_location_type_0 import (
            RegisteredDeviceDeviceLocationType0,
        )
        from ..models.registered_device_device_quiet_hours_type_0 import (
            RegisteredDeviceDeviceQuietHoursType0,
        )
        from ..models.registered_device_device_sdk_location_type_0 import (
            RegisteredDeviceDeviceSdkLocationType0,
        )

        id = str(self.id)

        platform: str = self.platform

        push_token_type: str = self.push_token_type

        locale: None | str
        locale = self.locale

        script: None | str
        script = self.script

        time_zone: None | str
        time_zone = self.time_zone

        quiet_hours: dict[str, Any] | None
        if isinstance(self.quiet_hours, RegisteredDeviceDeviceQuietHoursType0):
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

        development = self.development

        notifications_allowed: str = self.notifications_allowed

        tags = self.tags

        custom = self.custom.to_dict()

        events = self.events.to_dict()

        push_token: None | str | Unset
        if isinstance(self.push_token, Unset):
            push_token = UNSET
        else:
            push_token = self.push_token

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

        location: dict[str, Any] | None | Unset
        if isinstance(self.location, Unset):
            location = UNSET
        elif isinstance(self.location, RegisteredDeviceDeviceLocationType0):
            location = self.location.to_dict()
        else:
            location = self.location

        sdk_location: dict[str, Any] | None | Unset
        if isinstance(self.sdk_location, Unset):
            sdk_location = UNSET
        elif isinstance(self.sdk_location, RegisteredDeviceDeviceSdkLocationType0):
            sdk_location = self.sdk_location.to_dict()
        else:
            sdk_location = self.sdk_location

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "platform": platform,
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
                "development": development,
                "notifications_allowed": notifications_allowed,
                "tags": tags,
                "custom": custom,
                "events": events,
            }
        )
        if push_token is not UNSET:
            field_dict["push_token"] = push_token
        if user_id is not UNSET:
            field_dict["user_id"] = user_id
        if user_email is not UNSET:
            field_dict["user_email"] = user_email
        if location is not UNSET:
            field_dict["location"] = location
        if sdk_location is not UNSET:
            field_dict["sdk_location"] = sdk_location

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.registered_device_device_custom import (
            RegisteredDeviceDeviceCustom,
        )
        from ..models.registered_device_device_events import (
            RegisteredDeviceDeviceEvents,
        )
        from ..models.registered_device_device_location_type_0 import (
            RegisteredDeviceDeviceLocationType0,
        )
        from ..models.registered_device_device_quiet_hours_type_0 import (
            RegisteredDeviceDeviceQuietHoursType0,
        )
        from ..models.registered_device_device_sdk_location_type_0 import (
            RegisteredDeviceDeviceSdkLocationType0,
        )

        d = dict(src_dict)
        id = UUID(d.pop("id"))

        platform = check_registered_device_device_platform(d.pop("platform"))

        push_token_type = check_registered_device_device_push_token_type(
            d.pop("push_token_type")
        )

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

        def _parse_quiet_hours(
            data: object,
        ) -> None | RegisteredDeviceDeviceQuietHoursType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                quiet_hours_type_0 = RegisteredDeviceDeviceQuietHoursType0.from_dict(
                    data
                )

                return quiet_hours_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RegisteredDeviceDeviceQuietHoursType0, data)

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

        development = d.pop("development")

        notifications_allowed = check_registered_device_device_notifications_allowed(
            d.pop("notifications_allowed")
        )

        tags = cast(list[str], d.pop("tags"))

        custom = RegisteredDeviceDeviceCustom.from_dict(d.pop("custom"))

        events = RegisteredDeviceDeviceEvents.from_dict(d.pop("events"))

        def _parse_push_token(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        push_token = _parse_push_token(d.pop("push_token", UNSET))

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

        def _parse_location(
            data: object,
        ) -> None | RegisteredDeviceDeviceLocationType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                location_type_0 = RegisteredDeviceDeviceLocationType0.from_dict(data)

                return location_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RegisteredDeviceDeviceLocationType0 | Unset, data)

        location = _parse_location(d.pop("location", UNSET))

        def _parse_sdk_location(
            data: object,
        ) -> None | RegisteredDeviceDeviceSdkLocationType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                sdk_location_type_0 = RegisteredDeviceDeviceSdkLocationType0.from_dict(
                    data
                )

                return sdk_location_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RegisteredDeviceDeviceSdkLocationType0 | Unset, data)

        sdk_location = _parse_sdk_location(d.pop("sdk_location", UNSET))

        registered_device_device = cls(
            id=id,
            platform=platform,
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
            development=development,
            notifications_allowed=notifications_allowed,
            tags=tags,
            custom=custom,
            events=events,
            push_token=push_token,
            user_id=user_id,
            user_email=user_email,
            location=location,
            sdk_location=sdk_location,
        )

        return registered_device_device
