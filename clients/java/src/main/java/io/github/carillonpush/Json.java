package io.github.carillonpush;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** JSON whose numbers keep every digit. */
final class Json {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  /** What can be written as JSON. */
  interface Value {
    JsonNode json();
  }

  private Json() {}

  static ObjectNode newObject() {
    return MAPPER.createObjectNode();
  }

  /**
   * The JSON of a value.
   *
   * @param value null, a text, a number, a boolean, a model, or a list or map of those
   */
  static JsonNode of(Object value) {
    if (value instanceof Value known) return known.json();
    if (value instanceof JsonNode json) return json;
    if (value instanceof Iterable<?> items) {
      ArrayNode list = MAPPER.createArrayNode();
      for (Object item : items) list.add(of(item));
      return list;
    }
    if (value instanceof Map<?, ?> entries) {
      ObjectNode object = newObject();
      entries.forEach((name, each) -> object.set(String.valueOf(name), of(each)));
      return object;
    }
    return MAPPER.valueToTree(value);
  }

  /** The value in a text; a {@link MissingNode} if there is none. */
  static JsonNode read(byte[] text) {
    try {
      return MAPPER.readTree(text);
    } catch (IOException notJson) {
      throw new UncheckedIOException(notJson);
    }
  }

  static byte[] write(Object value) {
    try {
      return MAPPER.writeValueAsBytes(of(value));
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }
}
