package io.github.carillonpush;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Sends the calls of {@link Calls}: signs in, limits the time, and sends again what failed for a moment. Any reply but a success is a
 * {@link RefusalException}.
 */
abstract class Transport {
  private static final Set<Integer> FAILED_FOR_NOW = Set.of(502, 503, 504);
  private static final int TOO_MANY_REQUESTS = 429;
  private static final Duration BACKOFF_MAX = Duration.ofSeconds(10);

  /** Whether a call may be sent again although the server may have carried it out, as the API's document says. */
  enum Repeat {
    READS,
    IDEMPOTENT,
    KEYED,
    ONLY_AFTER_429
  }

  /** Waits before a call is sent again. */
  interface Pause {
    void wait(Duration time) throws InterruptedException;
  }

  /** What {@link Carillon.Builder} sets. */
  record Settings(
      String url,
      HttpClient client,
      String authorization,
      Duration tryTimeout,
      Duration callTimeout,
      int retries,
      Duration backoff,
      DoubleSupplier random,
      Pause pause) {}

  private final Settings settings;

  Transport(Settings settings) {
    this.settings = settings;
  }

  /**
   * Makes any call of the API, such as one for which the client has no method: {@code call("GET", "/v6/keys", null)}.
   *
   * @param body sent as JSON unless it is null: a model, or a map
   * @return the reply; text that is not JSON as a text
   */
  public JsonNode call(String method, String path, Object body) {
    Repeat repeat = method.equals("GET") ? Repeat.READS : Repeat.ONLY_AFTER_429;
    HttpResponse<byte[]> reply = send(method, path, repeat, null, body, null);
    boolean isJson = reply.headers().firstValue("content-type").orElse("").contains("json");
    return isJson ? Json.read(reply.body()) : TextNode.valueOf(new String(reply.body(), StandardCharsets.UTF_8));
  }

  /** A call whose reply is JSON; null for a success without content. */
  final JsonNode json(String method, String path, Repeat repeat, Model query, Object body, String key) {
    byte[] text = send(method, path, repeat, query, body, key).body();
    return text.length == 0 ? null : Json.read(text);
  }

  final <T> List<T> list(String method, String path, Repeat repeat, Object body, Function<JsonNode, T> read) {
    return Model.list(read).apply(json(method, path, repeat, null, body, null));
  }

  /** Sends lines that are made while the server reads them: once, and without a limit of time. */
  final JsonNode upload(String path, Iterable<? extends Model> items) {
    HttpRequest request =
        requestTo(path)
            .header("Content-Type", "application/x-ndjson")
            .POST(HttpRequest.BodyPublishers.ofInputStream(() -> linesOf(items.iterator())))
            .build();
    HttpResponse<byte[]> reply = sendOnce(request, HttpResponse.BodyHandlers.ofByteArray());
    if (reply.statusCode() / 100 == 2) return Json.read(reply.body());
    throw RefusalException.of(reply.statusCode(), reply.headers(), reply.body());
  }

  /** The values of a reply that has one on each line. */
  final <T> Stream<T> lines(String path, Model query, Function<JsonNode, T> read) {
    return open(path + textOf(query))
        .filter(line -> !line.isBlank())
        .map(line -> read.apply(Json.read(line.getBytes(StandardCharsets.UTF_8))));
  }

  /** The data of server-sent events, in one line each. */
  final <T> Stream<T> events(String path, Model query, Function<JsonNode, T> read) {
    return open(path + textOf(query))
        .filter(line -> line.startsWith("data:"))
        .map(line -> read.apply(Json.read(line.substring("data:".length()).getBytes(StandardCharsets.UTF_8))));
  }

  /** A part of a path. */
  static String segment(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static String textOf(Model query) {
    if (query == null) return "";
    List<String> given = new ArrayList<>();
    for (Map.Entry<String, JsonNode> field : query.json().properties()) {
      if (!field.getValue().isNull()) given.add(field.getKey() + "=" + segment(field.getValue().asText()));
    }
    return given.isEmpty() ? "" : "?" + String.join("&", given);
  }

  private static InputStream linesOf(Iterator<? extends Model> items) {
    return new SequenceInputStream(
        new Enumeration<>() {
          @Override
          public boolean hasMoreElements() {
            return items.hasNext();
          }

          @Override
          public InputStream nextElement() {
            byte[] line = (items.next().json() + "\n").getBytes(StandardCharsets.UTF_8);
            return new ByteArrayInputStream(line);
          }
        });
  }

  private HttpRequest.Builder requestTo(String path) {
    return HttpRequest.newBuilder(URI.create(settings.url + path)).header("Authorization", settings.authorization);
  }

  private HttpResponse<byte[]> send(
      String method, String path, Repeat repeat, Model query, Object body, String key) {
    HttpRequest.Builder request = requestTo(path + textOf(query));
    if (body == null) {
      request.method(method, HttpRequest.BodyPublishers.noBody());
    } else {
      request.header("Content-Type", "application/json");
      request.method(method, HttpRequest.BodyPublishers.ofByteArray(Json.write(keyed(repeat, body))));
    }
    // Made once for all tries, so that the server knows the notification again.
    if (repeat == Repeat.KEYED && !(body instanceof Iterable<?>)) {
      request.header("Idempotency-Key", key == null ? UUID.randomUUID().toString() : key);
    }
    try {
      return sendUntilDone(request.build(), repeat);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new NoReplyException(request.build().uri().getAuthority(), "the thread was interrupted", interrupted);
    }
  }

  /** A batch with a key for each item that has none. */
  private static Object keyed(Repeat repeat, Object body) {
    if (repeat != Repeat.KEYED || !(body instanceof Iterable<?> items)) return body;
    List<JsonNode> all = new ArrayList<>();
    for (Object item : items) {
      ObjectNode copy = Json.of(item).deepCopy();
      if (!copy.has("idempotency_key")) copy.put("idempotency_key", UUID.randomUUID().toString());
      all.add(copy);
    }
    return all;
  }

  private HttpResponse<byte[]> sendUntilDone(HttpRequest request, Repeat repeat) throws InterruptedException {
    long deadline = System.nanoTime() + settings.callTimeout.toNanos();
    for (int attempt = 0; ; attempt++) {
      CarillonException failure;
      try {
        HttpResponse<byte[]> reply = sendInTime(request, Duration.ofNanos(deadline - System.nanoTime()));
        if (reply.statusCode() / 100 == 2) return reply;
        failure = RefusalException.of(reply.statusCode(), reply.headers(), reply.body());
      } catch (NoReplyException lost) {
        failure = lost;
      }
      Duration wait = waitBefore(attempt, failure);
      boolean isTooLate = deadline - System.nanoTime() <= wait.toNanos();
      if (attempt >= settings.retries || isTooLate || !mayRepeat(repeat, failure)) throw failure;
      settings.pause.wait(wait);
    }
  }

  private HttpResponse<byte[]> sendInTime(HttpRequest request, Duration left) throws InterruptedException {
    Duration limit = left.compareTo(settings.tryTimeout) < 0 ? left : settings.tryTimeout;
    CompletableFuture<HttpResponse<byte[]>> reply =
        settings.client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
    String host = request.uri().getAuthority();
    try {
      return reply.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException tooLong) {
      reply.cancel(true);
      throw new NoReplyException(host, "none within " + limit.toMillis() + " ms", tooLong);
    } catch (InterruptedException interrupted) {
      reply.cancel(true);
      throw interrupted;
    } catch (ExecutionException failed) {
      throw new NoReplyException(host, String.valueOf(failed.getCause()), failed.getCause());
    }
  }

  private Stream<String> open(String path) {
    HttpRequest request = requestTo(path).timeout(settings.tryTimeout).GET().build();
    HttpResponse<Stream<String>> reply = sendOnce(request, HttpResponse.BodyHandlers.ofLines());
    if (reply.statusCode() / 100 == 2) return reply.body();
    byte[] body = String.join("\n", reply.body().toList()).getBytes(StandardCharsets.UTF_8);
    throw RefusalException.of(reply.statusCode(), reply.headers(), body);
  }

  private <T> HttpResponse<T> sendOnce(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
    String host = request.uri().getAuthority();
    try {
      return settings.client.send(request, handler);
    } catch (IOException lost) {
      throw new NoReplyException(host, lost.toString(), lost);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new NoReplyException(host, "the thread was interrupted", interrupted);
    }
  }

  /** What the server asks for, and a random time, so that many callers do not come back at once. */
  private Duration waitBefore(int attempt, CarillonException failure) {
    double longest = Math.min(settings.backoff.toNanos() * Math.pow(2, attempt), BACKOFF_MAX.toNanos());
    Duration wait = Duration.ofNanos((long) (longest * settings.random.getAsDouble()));
    return failure instanceof RefusalException refusal ? wait.plus(refusal.retryAfter()) : wait;
  }

  /** 429 means that nothing was done; after 502, 503 and 504, and without a reply, it may have been. */
  private static boolean mayRepeat(Repeat repeat, CarillonException failure) {
    boolean isRepeatable = repeat != Repeat.ONLY_AFTER_429;
    if (!(failure instanceof RefusalException refusal)) return isRepeatable;
    return refusal.status() == TOO_MANY_REQUESTS || (isRepeatable && FAILED_FOR_NOW.contains(refusal.status()));
  }
}
