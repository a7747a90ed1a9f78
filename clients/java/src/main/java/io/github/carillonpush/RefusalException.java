package io.github.carillonpush;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.UncheckedIOException;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A reply that is no success. Its message is a sentence for people, which may change; compare {@link #code()}. */
public final class RefusalException extends CarillonException {
  /** The code of a reply that does not have the form of Carillon's errors, such as that of a proxy. */
  public static final String NOT_CARILLON = "not_carillon";

  /** A fault of the request, such as {@code notification.payload.badge}. */
  public record Fault(String path, String message) {}

  private final int status;
  private final String code;
  private final List<Fault> details;
  private final String requestId;
  private final Duration retryAfter;

  private RefusalException(
      String message, int status, String code, List<Fault> details, String requestId, Duration retryAfter) {
    super(message, null);
    this.status = status;
    this.code = code;
    this.details = List.copyOf(details);
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }

  /** That of HTTP: 422. */
  public int status() {
    return status;
  }

  /** What is wrong, for programs: {@code invalid_request}. docs/errors.md of Carillon lists all codes. */
  public String code() {
    return code;
  }

  /** The faults of the request that have a position. */
  public List<Fault> details() {
    return details;
  }

  /** By which the log of the server finds the request. */
  public String requestId() {
    return requestId;
  }

  /** What the server asked to wait, with 429 and 503; otherwise zero. */
  public Duration retryAfter() {
    return retryAfter;
  }

  static RefusalException of(int status, HttpHeaders headers, byte[] body) {
    String requestId = headers.firstValue("x-request-id").orElse(null);
    Duration retryAfter = RetryAfter.of(headers.firstValue("retry-after").orElse(""), Instant.now());
    JsonNode envelope = envelopeOf(body);
    if (envelope == null) {
      String message = "The reply has the status " + status + " and is not one of Carillon.";
      return new RefusalException(message, status, NOT_CARILLON, List.of(), requestId, retryAfter);
    }
    List<Fault> details = new ArrayList<>();
    for (JsonNode fault : envelope.path("details")) {
      details.add(new Fault(fault.path("path").asText(), fault.path("message").asText()));
    }
    String code = envelope.path("code").asText();
    return new RefusalException(envelope.path("error").asText(), status, code, details, requestId, retryAfter);
  }

  private static JsonNode envelopeOf(byte[] body) {
    try {
      JsonNode value = Json.read(body);
      return value.path("code").isTextual() ? value : null;
    } catch (UncheckedIOException notJson) {
      return null;
    }
  }
}
