package io.github.carillonpush;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A part of a request or of a reply: JSON whose fields have names and types. A field that is not set is left out, and one that is
 * set to null is sent as null. Fields that a later server has added stay in the JSON.
 */
public abstract class Model implements Json.Value {
  private final ObjectNode json;

  protected Model() {
    this(Json.newObject());
  }

  protected Model(JsonNode json) {
    this.json = (ObjectNode) json;
  }

  /** The JSON, also with what has no method here. */
  @Override
  public ObjectNode json() {
    return json;
  }

  /** Whether the field is there, perhaps as null. */
  public boolean has(String name) {
    return json.has(name);
  }

  protected void put(String name, Object value) {
    json.set(name, Json.of(value));
  }

  /** The value of a field; null if it is null, or not there. */
  protected <T> T get(String name, Function<JsonNode, T> read) {
    JsonNode value = json.get(name);
    return value == null || value.isNull() ? null : read.apply(value);
  }

  protected static <T> Function<JsonNode, List<T>> list(Function<JsonNode, T> read) {
    return value -> {
      List<T> items = new ArrayList<>();
      for (JsonNode item : value) items.add(item.isNull() ? null : read.apply(item));
      return items;
    };
  }

  protected static <T> Function<JsonNode, Map<String, T>> map(Function<JsonNode, T> read) {
    return value -> {
      Map<String, T> entries = new LinkedHashMap<>();
      value.fields().forEachRemaining(
          entry -> entries.put(entry.getKey(), entry.getValue().isNull() ? null : read.apply(entry.getValue())));
      return entries;
    };
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Model model && getClass() == model.getClass() && json.equals(model.json);
  }

  @Override
  public int hashCode() {
    return json.hashCode();
  }
}
