from typing import Literal, cast

CreateBroadcastBroadcastPriority = Literal["high", "normal"]


def check_create_broadcast_broadcast_priority(
    value: str,
) -> CreateBroadcastBroadcastPriority:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(CreateBroadcastBroadcastPriority, value)
