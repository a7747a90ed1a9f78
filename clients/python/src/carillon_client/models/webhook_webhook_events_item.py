from typing import Literal, cast

WebhookWebhookEventsItem = Literal[
    "device.unregistered", "notification.failed", "notification.sent"
]


def check_webhook_webhook_events_item(value: str) -> WebhookWebhookEventsItem:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(WebhookWebhookEventsItem, value)
