package io.github.carillonpush;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;

/** What a {@code Retry-After} header asks for: seconds, or the time until a date. */
final class RetryAfter {
  private RetryAfter() {}

  static Duration of(String header, Instant now) {
    String text = header.trim();
    if (text.matches("\\d{1,9}")) return Duration.ofSeconds(Long.parseLong(text));
    try {
      Instant date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return date.isAfter(now) ? Duration.between(now, date) : Duration.ZERO;
    } catch (DateTimeParseException neither) {
      return Duration.ZERO;
    }
  }
}
