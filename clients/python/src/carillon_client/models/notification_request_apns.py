from __future__ import annotations

from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Self,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

from ..models.notification_request_apns_push_type import (
    NotificationRequestApnsPushType,
    check_notification_request_apns_push_type,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.notification_request_apns_headers import (
        NotificationRequestApnsHeaders,
    )
    from ..models.notification_request_apns_sound_type_1 import (
        NotificationRequestApnsSoundType1,
    )


T = TypeVar("T", bound="NotificationRequestApns")


@_attrs_define
class NotificationRequestApns:
    """What only Apple gets.

    Attributes:
        push_type (NotificationRequestApnsPushType | Unset): The header `apns-push-type`. If left out, `background` for
            a payload that only wakes the app, else `alert`. All others are sent to a push token of their own, to the
            devices that have registered one.
        topic_suffix (str | Unset): What the topic has after the bundle id. It follows from the push type; if given, it
            must be that one.
        token_name (str | Unset): The name of the registered push token; `default` if left out.
        headers (NotificationRequestApnsHeaders | Unset): Headers of the request to Apple. Carillon sets all others.
        badge (int | Literal['reset'] | str | Unset): The number on the app’s icon, on iOS. `"+1"` is one more than the
            badge that is kept for the device, and `"reset"` is 0. The kept badge follows each push that was accepted, and
            what the app registers as `badge`.
        thread_id (str | Unset): iOS shows notifications with the same one as a group (`thread-id`).
        target_content_id (str | Unset): The window of the app that is brought forward (`target-content-id`).
        filter_criteria (str | Unset): What the app’s Focus filter decides by whether it is shown (`filter-criteria`).
        sound (NotificationRequestApnsSoundType1 | str | Unset): In place of the `sound` of the payload, for iOS; the
            only way to a critical alert.
    """

    push_type: NotificationRequestApnsPushType | Unset = UNSET
    topic_suffix: str | Unset = UNSET
    token_name: str | Unset = UNSET
    headers: NotificationRequestApnsHeaders | Unset = UNSET
    badge: int | Literal["reset"] | str | Unset = UNSET
    thread_id: str | Unset = UNSET
    target_content_id: str | Unset = UNSET
    filter_criteria: str | Unset = UNSET
    sound: NotificationRequestApnsSoundType1 | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.notification_request_apns_sound_type_1 import (
            NotificationRequestApnsSoundType1,
        )

        push_type: str | Unset = UNSET
        if not isinstance(self.push_type, Unset):
            push_type = self.push_type

        topic_suffix = self.topic_suffix

        token_name = self.token_name

        headers: dict[str, Any] | Unset = UNSET
        if not isinstance(self.headers, Unset):
            headers = self.headers.to_dict()

        badge: int | Literal["reset"] | str | Unset
        if isinstance(self.badge, Unset):
            badge = UNSET
        else:
            badge = self.badge

        thread_id = self.thread_id

        target_content_id = self.target_content_id

        filter_criteria = self.filter_criteria

        sound: dict[str, Any] | str | Unset
        if isinstance(self.sound, Unset):
            sound = UNSET
        elif isinstance(self.sound, NotificationRequestApnsSoundType1):
            sound = self.sound.to_dict()
        else:
            sound = self.sound

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if push_type is not UNSET:
            field_dict["push_type"] = push_type
        if topic_suffix is not UNSET:
            field_dict["topic_suffix"] = topic_suffix
        if token_name is not UNSET:
            field_dict["token_name"] = token_name
        if headers is not UNSET:
            field_dict["headers"] = headers
        if badge is not UNSET:
            field_dict["badge"] = badge
        if thread_id is not UNSET:
            field_dict["thread_id"] = thread_id
        if target_content_id is not UNSET:
            field_dict["target_content_id"] = target_content_id
        if filter_criteria is not UNSET:
            field_dict["filter_criteria"] = filter_criteria
        if sound is not UNSET:
            field_dict["sound"] = sound

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_request_apns_headers import (
            NotificationRequestApnsHeaders,
        )
        from ..models.notification_request_apns_sound_type_1 import (
            NotificationRequestApnsSoundType1,
        )

        d = dict(src_dict)
        _push_type = d.pop("push_type", UNSET)
        push_type: NotificationRequestApnsPushType | Unset
        if isinstance(_push_type, Unset):
            push_type = UNSET
        else:
            push_type = check_notification_request_apns_push_type(_push_type)

        topic_suffix = d.pop("topic_suffix", UNSET)

        token_name = d.pop("token_name", UNSET)

        _headers = d.pop("headers", UNSET)
        headers: NotificationRequestApnsHeaders | Unset
        if isinstance(_headers, Unset):
            headers = UNSET
        else:
            headers = NotificationRequestApnsHeaders.from_dict(_headers)

        def _parse_badge(data: object) -> int | Literal["reset"] | str | Unset:
            if isinstance(data, Unset):
                return data
            badge_type_2 = cast(Literal["reset"], data)
            if badge_type_2 != "reset":
                raise ValueError(
                    f"badge_type_2 must match const 'reset', got '{badge_type_2}'"
                )
            return badge_type_2
            return cast(int | Literal["reset"] | str | Unset, data)

        badge = _parse_badge(d.pop("badge", UNSET))

        thread_id = d.pop("thread_id", UNSET)

        target_content_id = d.pop("target_content_id", UNSET)

        filter_criteria = d.pop("filter_criteria", UNSET)

        def _parse_sound(
            data: object,
        ) -> NotificationRequestApnsSoundType1 | str | Unset:
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                sound_type_1 = NotificationRequestApnsSoundType1.from_dict(data)

                return sound_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(NotificationRequestApnsSoundType1 | str | Unset, data)

        sound = _parse_sound(d.pop("sound", UNSET))

        notification_request_apns = cls(
            push_type=push_type,
            topic_suffix=topic_suffix,
            token_name=token_name,
            headers=headers,
            badge=badge,
            thread_id=thread_id,
            target_content_id=target_content_id,
            filter_criteria=filter_criteria,
            sound=sound,
        )

        return notification_request_apns
