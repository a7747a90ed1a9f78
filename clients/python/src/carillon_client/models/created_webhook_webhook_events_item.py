from typing import Literal, cast

CreatedWebhookWebhookEventsItem = Literal[
    "device.unregistered", "notification.failed", "notification.sent"
]


def check_created_webhook_webhook_events_item(
    value: str,
) -> CreatedWebhookWebhookEventsItem:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(CreatedWebhookWebhookEventsItem, value)
