from typing import Literal, cast

RegisterDeviceTokenTokenType = Literal[
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


def check_register_device_token_token_type(value: str) -> RegisterDeviceTokenTokenType:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(RegisterDeviceTokenTokenType, value)
