from typing import Literal, cast

PushTokenStateRoute = Literal["apns_production", "apns_sandbox", "fcm"]


def check_push_token_state_route(value: str) -> PushTokenStateRoute:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(PushTokenStateRoute, value)
