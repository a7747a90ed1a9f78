package io.github.carillonpush;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.carillonpush.model.StoredBatchEntry;
import java.util.Optional;

/** What became of one notification of a batch: it is stored, or refused. */
public final class BatchEntry {
  private final JsonNode json;

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  BatchEntry(JsonNode json) {
    this.json = json;
  }

  /** The entry as the server has sent it. */
  @JsonValue
  public JsonNode json() {
    return json;
  }

  /** The stored notification; empty if it was refused. */
  public Optional<StoredBatchEntry> stored() {
    if (json.has("code")) return Optional.empty();
    return Optional.of(Json.newMapper().convertValue(json, StoredBatchEntry.class));
  }

  /** Why it was refused; empty if it is stored. */
  public Optional<RefusalException> refusal() {
    return json.has("code") ? Optional.of(RefusalException.of(json)) : Optional.empty();
  }
}
