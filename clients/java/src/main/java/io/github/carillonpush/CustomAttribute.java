package io.github.carillonpush;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** A custom attribute of a device. */
public final class CustomAttribute extends Model {
  public CustomAttribute(JsonNode json) {
    super(json);
  }

  private CustomAttribute(String type, Object value) {
    put("type", type);
    put("value", value);
  }

  /** One text or several. */
  public static CustomAttribute ofText(String... values) {
    return of("string", List.of(values));
  }

  /** One whole number or several. */
  public static CustomAttribute ofIntegers(Long... values) {
    return of("integer", List.of(values));
  }

  /** One number or several. */
  public static CustomAttribute ofNumbers(Double... values) {
    return of("float", List.of(values));
  }

  /** One date or several, in ISO 8601. */
  public static CustomAttribute ofDates(String... values) {
    return of("date", List.of(values));
  }

  /** True or false. */
  public static CustomAttribute of(boolean value) {
    return new CustomAttribute("boolean", value);
  }

  private static CustomAttribute of(String type, List<?> values) {
    return new CustomAttribute(type, values.size() == 1 ? values.get(0) : values);
  }
}
