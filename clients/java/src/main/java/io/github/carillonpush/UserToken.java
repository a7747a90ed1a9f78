package io.github.carillonpush;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.PrivateKey;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.Mac;

/**
 * What a back end says of the user of a phone (docs/connect.md, "Prove the user").
 *
 * @param userId the {@code user_id}
 * @param email the {@code user_email}; null if the app does not use it
 * @param app the bundle id of the app
 * @param keyId the id under which the server has the key
 * @param expiresIn for how long the token is good, 24 hours at most
 * @param pushToken the only push token with which it may be used; null: any
 */
public record UserToken(
    String userId, String email, String app, String keyId, Duration expiresIn, String pushToken) {

  /** A token for an hour, without an address, for any push token. */
  public static UserToken of(String userId, String app, String keyId) {
    return new UserToken(userId, null, app, keyId, Duration.ofHours(1), null);
  }

  /**
   * The token that a phone sends as {@code user_token}.
   *
   * @param key a private key of P-256 (ES256) or Ed25519 (EdDSA), or a secret of at least 32 bytes (HS256)
   * @throws IllegalArgumentException if the key is of another kind
   */
  public String sign(Key key) {
    return signAt(key, Instant.now());
  }

  String signAt(Key key, Instant now) {
    String algorithm = algorithmOf(key);
    Map<String, Object> header = new LinkedHashMap<>();
    header.put("alg", algorithm);
    header.put("typ", "JWT");
    header.put("kid", keyId);
    Map<String, Object> claims = new LinkedHashMap<>();
    claims.put("sub", userId);
    claims.put("aud", app);
    claims.put("iat", now.getEpochSecond());
    claims.put("exp", now.plus(expiresIn).getEpochSecond());
    if (email != null) claims.put("email", email);
    if (pushToken != null) claims.put("push_token", pushToken);
    String signed = encode(Json.write(header)) + "." + encode(Json.write(claims));
    try {
      return signed + "." + encode(signature(key, algorithm, signed.getBytes(StandardCharsets.US_ASCII)));
    } catch (GeneralSecurityException unusable) {
      throw new IllegalArgumentException("the key does not sign by " + algorithm, unusable);
    }
  }

  private static String algorithmOf(Key key) {
    return switch (key.getAlgorithm()) {
      case "EC" -> "ES256";
      case "Ed25519", "EdDSA" -> "EdDSA";
      case "HmacSHA256" -> {
        if (key.getEncoded().length < 32) throw new IllegalArgumentException("a secret has at least 32 bytes");
        yield "HS256";
      }
      default -> throw new IllegalArgumentException(key.getAlgorithm() + " signs no user tokens");
    };
  }

  private static byte[] signature(Key key, String algorithm, byte[] signed) throws GeneralSecurityException {
    if (algorithm.equals("HS256")) {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      return mac.doFinal(signed);
    }
    Signature signature =
        Signature.getInstance(algorithm.equals("ES256") ? "SHA256withECDSAinP1363Format" : "Ed25519");
    signature.initSign((PrivateKey) key);
    signature.update(signed);
    byte[] made = signature.sign();
    if (made.length != 64) throw new IllegalArgumentException("the key is of another curve than P-256");
    return made;
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
