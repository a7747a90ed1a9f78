from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define

from ..models.created_webhook_webhook_events_item import (
    CreatedWebhookWebhookEventsItem,
    check_created_webhook_webhook_events_item,
)

T = TypeVar("T", bound="CreatedWebhookWebhook")


@_attrs_define
class CreatedWebhookWebhook:
    """
    Attributes:
        id (UUID):
        url (str):
        events (list[CreatedWebhookWebhookEventsItem]):
        created_at (datetime.datetime):
        secret (str): The key that signs the events. Only this reply contains it; it cannot be read again.
    """

    id: UUID
    url: str
    events: list[CreatedWebhookWebhookEventsItem]
    created_at: datetime.datetime
    secret: str

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        url = self.url

        events = []
        for events_item_data in self.events:
            events_item: str = events_item_data
            events.append(events_item)

        created_at = self.created_at.isoformat()

        secret = self.secret

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "url": url,
                "events": events,
                "created_at": created_at,
                "secret": secret,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        id = UUID(d.pop("id"))

        url = d.pop("url")

        events = []
        _events = d.pop("events")
        for events_item_data in _events:
            events_item = check_created_webhook_webhook_events_item(events_item_data)

            events.append(events_item)

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        secret = d.pop("secret")

        created_webhook_webhook = cls(
            id=id,
            url=url,
            events=events,
            created_at=created_at,
            secret=secret,
        )

        return created_webhook_webhook
