package io.github.carillonpush;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.carillonpush.model.DeviceUpdate;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ValuesTest {
  private static void assertSent(String expected, Object value) {
    assertEquals(Json.read(expected.getBytes(StandardCharsets.UTF_8)), Json.read(Json.write(value)));
  }

  @Test
  void targetsAreSentAsTheApiHasThem() {
    assertSent("\"*\"", Target.everyone());
    assertSent("{\"audience\": \"a\"}", Target.audience("a"));
    assertSent("{\"device_id\": \"a\"}", Target.device("a"));
    assertSent("{\"user_id\": \"a\"}", Target.user("a"));
    assertSent(
        "[{\"name\": \"tags\", \"criteria\": [\"a\"]}, "
            + "{\"name\": \"badge\", \"criteria\": [{\"gte\": 1}], \"not_filter\": true}]",
        Target.where(Filter.of("tags", "a"), Filter.of("badge", Map.of("gte", 1)).negated()));
  }

  @Test
  void customAttributesAreSentAsTheApiHasThem() {
    assertSent("{\"type\": \"string\", \"value\": \"gold\"}", CustomAttribute.ofText("gold"));
    assertSent("{\"type\": \"string\", \"value\": [\"a\", \"b\"]}", CustomAttribute.ofText("a", "b"));
    assertSent("{\"type\": \"integer\", \"value\": 9223372036854775807}", CustomAttribute.ofIntegers(Long.MAX_VALUE));
    assertSent("{\"type\": \"float\", \"value\": 0.5}", CustomAttribute.ofNumbers(0.5));
    assertSent("{\"type\": \"date\", \"value\": \"2026-11-24\"}", CustomAttribute.ofDates("2026-11-24"));
    assertSent("{\"type\": \"boolean\", \"value\": true}", CustomAttribute.of(true));
  }

  @Test
  void anUpdateSendsNullOnlyWhereItIsSet() {
    assertSent("{\"app_version\": null, \"badge\": 0}", new DeviceUpdate().appVersion(null).badge(0));
  }

  @Test
  void retryAfterIsANumberOrADate() {
    Instant now = Instant.parse("2026-11-24T12:00:00Z");
    Map<String, Integer> expected =
        Map.of(
            "5", 5, " 0 ", 0, "", 0, "soon", 0, "-3", 0,
            "Tue, 24 Nov 2026 12:00:09 GMT", 9, "Tue, 24 Nov 2026 11:00:00 GMT", 0);
    expected.forEach((header, seconds) -> assertEquals(Duration.ofSeconds(seconds), RetryAfter.of(header, now), header));
  }
}
