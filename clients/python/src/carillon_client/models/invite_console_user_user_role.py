from typing import Literal, cast

InviteConsoleUserUserRole = Literal["admin", "sender", "viewer"]


def check_invite_console_user_user_role(value: str) -> InviteConsoleUserUserRole:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(InviteConsoleUserUserRole, value)
