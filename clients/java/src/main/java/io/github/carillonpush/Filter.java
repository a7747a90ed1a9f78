package io.github.carillonpush;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** A condition on devices; docs/filters.md of Carillon lists what each attribute takes. */
public final class Filter extends Model {
  private Filter() {}

  public Filter(JsonNode json) {
    super(json);
  }

  /**
   * Selects devices that fit one of the criteria.
   *
   * @param criteria texts, numbers, booleans, ranges ({@code Map.of("gte", 10)}), or a {@link io.github.carillonpush.model.Circle}
   *     or {@link io.github.carillonpush.model.Polygon}
   */
  public static Filter of(String name, Object... criteria) {
    Filter filter = new Filter();
    filter.put("name", name);
    filter.put("criteria", List.of(criteria));
    return filter;
  }

  /** Selects the devices that this filter does not. */
  public Filter negated() {
    Filter negated = new Filter(json().deepCopy());
    negated.put("not_filter", !json().path("not_filter").asBoolean());
    return negated;
  }
}
