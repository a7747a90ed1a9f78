from typing import Literal, cast

ChannelBroadcastBroadcastPriority = Literal["high", "normal"]


def check_channel_broadcast_broadcast_priority(
    value: str,
) -> ChannelBroadcastBroadcastPriority:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ChannelBroadcastBroadcastPriority, value)
