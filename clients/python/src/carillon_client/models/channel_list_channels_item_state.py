from typing import Literal, cast

ChannelListChannelsItemState = Literal["deleting", "ended", "open"]


def check_channel_list_channels_item_state(value: str) -> ChannelListChannelsItemState:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ChannelListChannelsItemState, value)
