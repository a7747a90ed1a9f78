package io.github.carillonpush;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.BeanPropertyWriter;
import com.fasterxml.jackson.databind.ser.BeanSerializerModifier;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.github.carillonpush.invoker.RFC3339JavaTimeModule;
import java.util.List;
import org.openapitools.jackson.nullable.JsonNullable;
import org.openapitools.jackson.nullable.JsonNullableModule;

/** The JSON of requests and replies. */
final class Json {
  private Json() {}

  static ObjectMapper newMapper() {
    // As that of the generated ApiClient, which registers its modules itself: of several that change properties, Jackson asks the
    // one that was registered first last.
    return JsonMapper.builder()
        .addModule(new SimpleModule("untyped").setSerializerModifier(new UntypedLeftOut()))
        .addModule(new JavaTimeModule())
        .addModule(new JsonNullableModule())
        .addModule(new RFC3339JavaTimeModule())
        .serializationInclusion(JsonInclude.Include.NON_NULL)
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .disable(DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
        .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
        .enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING)
        .enable(DeserializationFeature.READ_ENUMS_USING_TO_STRING)
        .build();
  }

  /**
   * A field of any type, such as {@code image} of a payload, is null in the generated classes until it is set, and would be sent
   * as null.
   */
  private static final class UntypedLeftOut extends BeanSerializerModifier {
    @Override
    public List<BeanPropertyWriter> changeProperties(
        SerializationConfig config, BeanDescription bean, List<BeanPropertyWriter> properties) {
      properties.replaceAll(UntypedLeftOut::unlessNull);
      return properties;
    }

    private static BeanPropertyWriter unlessNull(BeanPropertyWriter property) {
      boolean isUntyped =
          property.getType().hasRawClass(JsonNullable.class)
              && property.getType().containedTypeOrUnknown(0).hasRawClass(Object.class);
      return isUntyped ? new UnlessNull(property) : property;
    }
  }

  private static final class UnlessNull extends BeanPropertyWriter {
    private static final long serialVersionUID = 1L;

    UnlessNull(BeanPropertyWriter property) {
      super(property);
    }

    @Override
    public void serializeAsField(Object bean, JsonGenerator to, SerializerProvider provider) throws Exception {
      Object value = get(bean);
      if (value instanceof JsonNullable<?> nullable && nullable.isPresent() && nullable.get() == null) return;
      super.serializeAsField(bean, to, provider);
    }
  }
}
