from typing import Literal, cast

ChannelDetailBroadcastsItemEvent = Literal["end", "update"]


def check_channel_detail_broadcasts_item_event(
    value: str,
) -> ChannelDetailBroadcastsItemEvent:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ChannelDetailBroadcastsItemEvent, value)
