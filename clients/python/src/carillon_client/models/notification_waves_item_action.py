from typing import Literal, cast

NotificationWavesItemAction = Literal["drop", "expire", "send"]


def check_notification_waves_item_action(value: str) -> NotificationWavesItemAction:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationWavesItemAction, value)
