package io.github.carillonpush;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * A condition on devices; docs/filters.md of Carillon lists what each attribute takes.
 *
 * @param criteria at least one has to match: texts, numbers, booleans, ranges ({@code Map.of("gte", 10)}), or a {@link
 *     io.github.carillonpush.model.Circle} or {@link io.github.carillonpush.model.Polygon}
 */
public record Filter(
    String name,
    List<Object> criteria,
    @JsonProperty("not_filter") @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean isNegated) {
  /** Selects devices that fit one of the criteria. */
  public static Filter of(String name, Object... criteria) {
    return new Filter(name, List.of(criteria), false);
  }

  /** Selects the devices that this filter does not. */
  public Filter negated() {
    return new Filter(name, criteria, !isNegated);
  }
}
