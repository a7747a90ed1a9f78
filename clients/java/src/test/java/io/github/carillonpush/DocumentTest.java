package io.github.carillonpush;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Each call of a back end is made with the examples of openapi.json: every parameter and field is sent and returned. */
class DocumentTest {
  private static final Set<String> TAGS =
      Set.of("Notifications", "Audiences", "Devices", "Users", "Channels", "Webhooks");
  private static final String JSON = "application/json";

  @TestFactory
  List<DynamicTest> theClientMakesEachCallOfTheDocument() throws IOException {
    JsonNode document = Json.read(Files.readAllBytes(Path.of("../openapi.json")));
    List<DynamicTest> tests = new ArrayList<>();
    document
        .path("paths")
        .fields()
        .forEachRemaining(
            path ->
                path.getValue()
                    .fields()
                    .forEachRemaining(
                        call -> {
                          String tag = call.getValue().path("tags").path(0).asText();
                          if (!path.getKey().startsWith("/v6/") || !TAGS.contains(tag)) return;
                          String verb = call.getKey().toUpperCase();
                          String id = call.getValue().path("operationId").asText();
                          tests.add(dynamicTest(id, () -> make(verb, path.getKey(), call.getValue())));
                        }));
    assertTrue(tests.size() > 50);
    return tests;
  }

  private static void make(String verb, String path, JsonNode call) throws Exception {
    String id = call.path("operationId").asText();
    Method method =
        Arrays.stream(Calls.class.getDeclaredMethods())
            .filter(each -> each.getName().equals(id))
            .max(Comparator.comparing(Method::getParameterCount))
            .orElseThrow();
    List<Object> words = new ArrayList<>();
    ObjectNode query = Json.newObject();
    String key = null;
    String at = path;
    for (JsonNode parameter : call.path("parameters")) {
      String name = parameter.path("name").asText();
      JsonNode example = parameter.path("example");
      String place = parameter.path("in").asText();
      if (place.equals("path")) {
        words.add(example.asText());
        at = at.replace("{" + name + "}", Transport.segment(example.asText()));
      }
      if (place.equals("header")) key = example.asText();
      if (place.equals("query") && !name.equals("format")) query.set(name, example);
    }
    Map<String, JsonNode> bodies = examplesOf(call.path("requestBody"));
    JsonNode body = bodies.getOrDefault(JSON, bodies.values().stream().findFirst().orElse(null));
    if (body != null) words.add(argument(method.getGenericParameterTypes()[words.size()], body));
    if (!query.isEmpty()) words.add(model(method.getParameterTypes()[words.size()], query));
    if (key != null) words.add(key);

    Map<String, JsonNode> replies = new LinkedHashMap<>();
    call.path("responses").fields().forEachRemaining(
        reply -> {
          if (reply.getKey().startsWith("2")) replies.putAll(examplesOf(reply.getValue()));
        });
    JsonNode reply = replies.getOrDefault(JSON, replies.values().stream().findFirst().orElse(null));
    String text = reply == null ? "" : reply.isTextual() ? reply.asText() : reply.toString();
    try (FakeServer server = new FakeServer(FakeServer.Reply.of(200, text))) {
      Object got = method.invoke(server.client().build(), words.toArray());
      FakeServer.Received sent = server.received.get(0);
      List<String> given = new ArrayList<>();
      query.fields().forEachRemaining(
          field -> given.add(field.getKey() + "=" + Transport.segment(field.getValue().asText())));
      String asked = given.isEmpty() ? "" : "?" + String.join("&", given);
      assertEquals(verb + " " + at + asked, sent.call());
      assertEquals(key, sent.headers().getFirst("Idempotency-Key"));
      if (body != null) assertEquals(linesIn(body), withoutNewKeys(linesIn(sent.body()), body));
      if (got instanceof Stream<?> values) assertEquals(linesIn(reply), jsonOf(values.toList()));
      else if (got != null) assertEquals(reply, Json.of(got));
      else assertTrue(text.isEmpty() || text.equals("{}"));
    }
  }

  private static Map<String, JsonNode> examplesOf(JsonNode part) {
    Map<String, JsonNode> examples = new LinkedHashMap<>();
    part.path("content").fields().forEachRemaining(
        content -> examples.put(content.getKey(), content.getValue().path("example")));
    return examples;
  }

  /** The body, or its only field, as the method takes it. */
  private static Object argument(Type type, JsonNode body) throws Exception {
    if (type instanceof ParameterizedType list) {
      JsonNode items = body.isObject() ? body.elements().next() : body;
      List<Object> all = new ArrayList<>();
      for (JsonNode item : items.isTextual() ? linesIn(items) : items) {
        all.add(model((Class<?>) list.getActualTypeArguments()[0], item));
      }
      return all;
    }
    Class<?> of = (Class<?>) type;
    boolean isOnly = body.size() == 1;
    if (of == String.class) return body.elements().next().asText();
    return model(of, isOnly ? body.elements().next() : body);
  }

  private static Object model(Class<?> of, JsonNode json) throws Exception {
    return of.getConstructor(JsonNode.class).newInstance(json.deepCopy());
  }

  private static JsonNode jsonOf(List<?> values) {
    return Json.of(values);
  }

  /** The values of lines or events, in one list; any other JSON as it is. */
  private static JsonNode linesIn(JsonNode example) {
    return example.isTextual() ? linesIn(example.asText()) : example;
  }

  private static JsonNode linesIn(String text) {
    List<JsonNode> all = new ArrayList<>();
    for (String line : text.lines().map(each -> each.replace("data: ", "")).toList()) {
      if (line.startsWith("{") || line.startsWith("[")) all.add(Json.read(line.getBytes(StandardCharsets.UTF_8)));
    }
    boolean isOne = all.size() == 1 && !text.endsWith("\n");
    return isOne ? all.get(0) : Json.of(all);
  }

  private static JsonNode withoutNewKeys(JsonNode sent, JsonNode body) {
    for (int index = 0; sent.isArray() && body.isArray() && index < sent.size(); index++) {
      if (!body.get(index).has("idempotency_key")) ((ObjectNode) sent.get(index)).remove("idempotency_key");
    }
    return sent;
  }
}
