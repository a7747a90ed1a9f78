from typing import Literal, cast

ChannelListChannelsItemEnvironment = Literal["production", "sandbox"]


def check_channel_list_channels_item_environment(
    value: str,
) -> ChannelListChannelsItemEnvironment:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ChannelListChannelsItemEnvironment, value)
