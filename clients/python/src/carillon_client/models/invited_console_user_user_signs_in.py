from typing import Literal, cast

InvitedConsoleUserUserSignsIn = Literal["not_yet", "openid", "password"]


def check_invited_console_user_user_signs_in(
    value: str,
) -> InvitedConsoleUserUserSignsIn:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(InvitedConsoleUserUserSignsIn, value)
