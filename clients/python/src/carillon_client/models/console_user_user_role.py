from typing import Literal, cast

ConsoleUserUserRole = Literal["admin", "sender", "viewer"]


def check_console_user_user_role(value: str) -> ConsoleUserUserRole:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ConsoleUserUserRole, value)
