package io.github.carillonpush;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class UserTokenTest {
  private static final UserToken TOKEN = UserToken.of("user-17", "com.example.app", "k1");
  private static final Instant NOW = Instant.ofEpochSecond(1795262400);

  private static KeyPair onCurve(String curve) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec(curve));
    return generator.generateKeyPair();
  }

  private static void assertSigned(KeyPair pair, String algorithm, String verifier) throws Exception {
    String[] parts = TOKEN.signAt(pair.getPrivate(), NOW).split("\\.");
    String header = new String(Base64.getUrlDecoder().decode(parts[0]), StandardCharsets.UTF_8);
    assertEquals("{\"alg\":\"" + algorithm + "\",\"typ\":\"JWT\",\"kid\":\"k1\"}", header);
    String claims = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
    assertEquals(
        "{\"sub\":\"user-17\",\"aud\":\"com.example.app\",\"iat\":1795262400,\"exp\":1795266000}", claims);
    Signature signature = Signature.getInstance(verifier);
    signature.initVerify(pair.getPublic());
    signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
    assertTrue(signature.verify(Base64.getUrlDecoder().decode(parts[2])));
  }

  @Test
  void aUserTokenIsSignedByPublicKeys() throws Exception {
    assertSigned(onCurve("secp256r1"), "ES256", "SHA256withECDSAinP1363Format");
    assertSigned(KeyPairGenerator.getInstance("Ed25519").generateKeyPair(), "EdDSA", "Ed25519");
  }

  @Test
  void aUserTokenIsSignedByASecret() {
    byte[] secret = new byte[32];
    for (int index = 0; index < 32; index++) secret[index] = (byte) index;
    UserToken token =
        new UserToken("user-17", "anna@example.com", "com.example.app", "k1", TOKEN.expiresIn(), "abc");
    String expected =
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImsxIn0."
            + "eyJzdWIiOiJ1c2VyLTE3IiwiYXVkIjoiY29tLmV4YW1wbGUuYXBwIiwiaWF0IjoxNzk1MjYyNDAwLCJleHAiOjE3OT"
            + "UyNjYwMDAsImVtYWlsIjoiYW5uYUBleGFtcGxlLmNvbSIsInB1c2hfdG9rZW4iOiJhYmMifQ."
            + "pn2eYb_O9Lp8JJgwEKiCXSTGdvpUfTf1F7Lbfixg52c";
    assertEquals(expected, token.signAt(new SecretKeySpec(secret, "HmacSHA256"), NOW));
  }

  @Test
  void aWeakOrForeignKeySignsNothing() throws Exception {
    assertThrows(
        IllegalArgumentException.class, () -> TOKEN.sign(new SecretKeySpec(new byte[31], "HmacSHA256")));
    assertThrows(IllegalArgumentException.class, () -> TOKEN.sign(new SecretKeySpec(new byte[32], "AES")));
    KeyPair other = onCurve("secp384r1");
    assertThrows(IllegalArgumentException.class, () -> TOKEN.sign(other.getPrivate()));
  }
}
