from typing import Literal, cast

WebhookDeliveryListDeliveriesItemState = Literal["delivered", "failed", "waiting"]


def check_webhook_delivery_list_deliveries_item_state(
    value: str,
) -> WebhookDeliveryListDeliveriesItemState:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(WebhookDeliveryListDeliveriesItemState, value)
