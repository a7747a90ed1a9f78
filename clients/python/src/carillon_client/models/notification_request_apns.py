from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

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
    """

    push_type: NotificationRequestApnsPushType | Unset = UNSET
    topic_suffix: str | Unset = UNSET
    token_name: str | Unset = UNSET
    headers: NotificationRequestApnsHeaders | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        push_type: str | Unset = UNSET
        if not isinstance(self.push_type, Unset):
            push_type = self.push_type

        topic_suffix = self.topic_suffix

        token_name = self.token_name

        headers: dict[str, Any] | Unset = UNSET
        if not isinstance(self.headers, Unset):
            headers = self.headers.to_dict()

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

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_request_apns_headers import (
            NotificationRequestApnsHeaders,
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

        notification_request_apns = cls(
            push_type=push_type,
            topic_suffix=topic_suffix,
            token_name=token_name,
            headers=headers,
        )

        return notification_request_apns
