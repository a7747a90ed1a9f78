from typing import Literal, cast

NewWebhookEventsItem = Literal[
    "device.unregistered", "notification.failed", "notification.sent"
]


def check_new_webhook_events_item(value: str) -> NewWebhookEventsItem:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NewWebhookEventsItem, value)
