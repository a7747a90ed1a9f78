from typing import Literal, cast

PushTokenStateRetiredItemPushTokenType = Literal["fid", "token"]


def check_push_token_state_retired_item_push_token_type(
    value: str,
) -> PushTokenStateRetiredItemPushTokenType:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(PushTokenStateRetiredItemPushTokenType, value)
