from typing import Literal, cast

ChannelDetailBroadcastsItemPriority = Literal["high", "normal"]


def check_channel_detail_broadcasts_item_priority(
    value: str,
) -> ChannelDetailBroadcastsItemPriority:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ChannelDetailBroadcastsItemPriority, value)
