from typing import Literal, cast

PushTokenStatePushTokenTypeType0 = Literal["fid", "token"]


def check_push_token_state_push_token_type_type_0(
    value: str,
) -> PushTokenStatePushTokenTypeType0:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(PushTokenStatePushTokenTypeType0, value)
