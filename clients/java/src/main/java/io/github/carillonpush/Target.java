package io.github.carillonpush;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/** The devices that a notification is for. */
public record Target(JsonNode json) implements Json.Value {
  /** Every device of the app. */
  public static Target everyone() {
    return new Target(Json.of("*"));
  }

  /** The devices of a stored audience. */
  public static Target audience(String id) {
    return new Target(Json.of(Map.of("audience", id)));
  }

  /** One device. */
  public static Target device(String id) {
    return new Target(Json.of(Map.of("device_id", id)));
  }

  /** The devices of one user. */
  public static Target user(String id) {
    return new Target(Json.of(Map.of("user_id", id)));
  }

  /** The devices that all of the filters select. */
  public static Target where(Filter... filters) {
    return new Target(Json.of(List.of(filters)));
  }
}
