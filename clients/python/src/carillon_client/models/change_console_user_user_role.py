from typing import Literal, cast

ChangeConsoleUserUserRole = Literal["admin", "sender", "viewer"]


def check_change_console_user_user_role(value: str) -> ChangeConsoleUserUserRole:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ChangeConsoleUserUserRole, value)
