package io.github.carillonpush;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Map;

/** The devices that a notification is for. */
public record Target(@JsonValue Object json) {
  /** Every device of the app. */
  public static Target everyone() {
    return new Target("*");
  }

  /** The devices of a stored audience. */
  public static Target audience(String id) {
    return new Target(Map.of("audience", id));
  }

  /** One device. */
  public static Target device(String id) {
    return new Target(Map.of("device_id", id));
  }

  /** The devices of one user. */
  public static Target user(String id) {
    return new Target(Map.of("user_id", id));
  }

  /** The devices that all of the filters select. */
  public static Target where(Filter... filters) {
    return new Target(List.of(filters));
  }
}
