from typing import Literal, cast

DeviceTokensTokensItemTokenType = Literal[
    "complication",
    "controls",
    "fileprovider",
    "live_activity",
    "live_activity_start",
    "location",
    "pushtotalk",
    "voip",
    "widgets",
]


def check_device_tokens_tokens_item_token_type(
    value: str,
) -> DeviceTokensTokensItemTokenType:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(DeviceTokensTokensItemTokenType, value)
