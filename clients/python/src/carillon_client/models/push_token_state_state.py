from typing import Literal, cast

PushTokenStateState = Literal["live", "none", "retired", "set_aside"]


def check_push_token_state_state(value: str) -> PushTokenStateState:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(PushTokenStateState, value)
