package io.github.carillonpush;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.stream.Stream;

/** Bodies and replies of lines, which are read while they come. They are sent once. */
final class Streams {
  private final String url;
  private final HttpClient client;
  private final Transport transport;
  private final ObjectMapper json;

  Streams(String url, HttpClient client, Transport transport, ObjectMapper json) {
    this.url = url;
    this.client = client;
    this.transport = transport;
    this.json = json;
  }

  <T> Stream<T> lines(String path, Class<T> type) {
    return open(path).filter(line -> !line.isBlank()).map(line -> parse(line, type));
  }

  /** Server-sent events: their data, in one line each. */
  <T> Stream<T> events(String path, Class<T> type) {
    return open(path)
        .filter(line -> line.startsWith("data:"))
        .map(line -> parse(line.substring("data:".length()), type));
  }

  <T> T upload(String path, HttpRequest.BodyPublisher lines, Class<T> type) {
    HttpRequest.Builder request = requestTo(path).header("Content-Type", "application/x-ndjson").POST(lines);
    HttpResponse<byte[]> reply = send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    if (reply.statusCode() / 100 != 2) {
      throw RefusalException.of(reply.statusCode(), reply.headers(), reply.body());
    }
    try {
      return json.readValue(reply.body(), type);
    } catch (IOException notJson) {
      throw new UncheckedIOException(notJson);
    }
  }

  private Stream<String> open(String path) {
    HttpRequest request = transport.limited(requestTo(path).GET().build());
    HttpResponse<Stream<String>> reply = send(request, HttpResponse.BodyHandlers.ofLines());
    if (reply.statusCode() / 100 == 2) return reply.body();
    String text = String.join("\n", reply.body().toList());
    byte[] body = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    throw RefusalException.of(reply.statusCode(), reply.headers(), body);
  }

  private HttpRequest.Builder requestTo(String path) {
    return HttpRequest.newBuilder(URI.create(url + path));
  }

  private <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
    HttpRequest signed = transport.signed(request);
    String host = signed.uri().getAuthority();
    try {
      return client.send(signed, handler);
    } catch (IOException lost) {
      throw new NoReplyException(host, lost.toString(), lost);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new NoReplyException(host, "the thread was interrupted", interrupted);
    }
  }

  private <T> T parse(String text, Class<T> type) {
    try {
      return json.readValue(text, type);
    } catch (IOException notJson) {
      throw new UncheckedIOException(notJson);
    }
  }
}
