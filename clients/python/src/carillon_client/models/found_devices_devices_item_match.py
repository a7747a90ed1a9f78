from typing import Literal, cast

FoundDevicesDevicesItemMatch = Literal[
    "id", "push_token", "retired_push_token", "user_email", "user_id", "user_id_prefix"
]


def check_found_devices_devices_item_match(value: str) -> FoundDevicesDevicesItemMatch:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(FoundDevicesDevicesItemMatch, value)
