from typing import Literal, cast

InvitedConsoleUserUserRole = Literal["admin", "sender", "viewer"]


def check_invited_console_user_user_role(value: str) -> InvitedConsoleUserUserRole:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(InvitedConsoleUserUserRole, value)
