from typing import Literal, cast

ChannelDetailChannelStorage = Literal["latest", "none"]


def check_channel_detail_channel_storage(value: str) -> ChannelDetailChannelStorage:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ChannelDetailChannelStorage, value)
