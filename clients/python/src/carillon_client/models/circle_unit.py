from typing import Literal, cast

CircleUnit = Literal[
    "feet",
    "ft",
    "in",
    "inch",
    "kilometers",
    "km",
    "m",
    "meters",
    "mi",
    "miles",
    "nauticalmiles",
    "yards",
    "yd",
]


def check_circle_unit(value: str) -> CircleUnit:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(CircleUnit, value)
