from typing import Literal, cast

CreateChannelChannelStorage = Literal["latest", "none"]


def check_create_channel_channel_storage(value: str) -> CreateChannelChannelStorage:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(CreateChannelChannelStorage, value)
