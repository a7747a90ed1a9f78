from typing import Literal, cast

ChannelListChannelsItemStorage = Literal["latest", "none"]


def check_channel_list_channels_item_storage(
    value: str,
) -> ChannelListChannelsItemStorage:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ChannelListChannelsItemStorage, value)
