from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.new_webhook_events_item import (
    NewWebhookEventsItem,
    check_new_webhook_events_item,
)

T = TypeVar("T", bound="NewWebhook")


@_attrs_define
class NewWebhook:
    """
    Attributes:
        url (str): The URL that events are sent to: `https`, with a public address.
        events (list[NewWebhookEventsItem]):
    """

    url: str
    events: list[NewWebhookEventsItem]

    def to_dict(self) -> dict[str, Any]:
        url = self.url

        events = []
        for events_item_data in self.events:
            events_item: str = events_item_data
            events.append(events_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "url": url,
                "events": events,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        url = d.pop("url")

        events = []
        _events = d.pop("events")
        for events_item_data in _events:
            events_item = check_new_webhook_events_item(events_item_data)

            events.append(events_item)

        new_webhook = cls(
            url=url,
            events=events,
        )

        return new_webhook
