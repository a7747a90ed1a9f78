"""User tokens: the same token as every JWT library makes, and no token of a weak secret."""

from __future__ import annotations

import base64
import json
import unittest
from typing import Any

from carillon_client import sign_user_token

def _decoded(part: str) -> dict[str, Any]:
    decoded: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return decoded


class UserTokenTest(unittest.TestCase):
    def test_a_token_is_a_jwt_of_hs256(self) -> None:
        token = sign_user_token(
            "user-17",
            app="com.example.app",
            key_id="k1",
            secret=bytes(range(32)),
            email="anna@example.com",
            push_token="abc",
            now=1795262400,
        )
        header, claims, signature = token.split(".")
        self.assertEqual(header, "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImsxIn0")
        self.assertEqual(_decoded(claims)["exp"], 1795266000)
        self.assertEqual(signature, "pn2eYb_O9Lp8JJgwEKiCXSTGdvpUfTf1F7Lbfixg52c")

    def test_a_short_secret_signs_nothing(self) -> None:
        with self.assertRaises(ValueError):
            sign_user_token("user-17", app="com.example.app", key_id="k1", secret=b"short")
