from typing import Literal, cast

ConsoleUserUserSignsIn = Literal["not_yet", "openid", "password"]


def check_console_user_user_signs_in(value: str) -> ConsoleUserUserSignsIn:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ConsoleUserUserSignsIn, value)
