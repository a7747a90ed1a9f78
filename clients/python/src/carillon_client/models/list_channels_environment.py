from typing import Literal, cast

ListChannelsEnvironment = Literal["production", "sandbox"]


def check_list_channels_environment(value: str) -> ListChannelsEnvironment:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ListChannelsEnvironment, value)
