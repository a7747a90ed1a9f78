from typing import Literal, cast

WebhookListWebhooksItemEventsItem = Literal[
    "device.unregistered", "notification.failed", "notification.sent"
]


def check_webhook_list_webhooks_item_events_item(
    value: str,
) -> WebhookListWebhooksItemEventsItem:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(WebhookListWebhooksItemEventsItem, value)
