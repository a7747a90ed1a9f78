package io.github.carillonpush;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** Answers requests with the replies that it is given, in their order. */
final class FakeServer implements AutoCloseable {
  private static final int CUT = 0;
  private static final int NONE = -1;

  /** A status, a body and headers; or a connection that is cut when the request has arrived, or stays open. */
  record Reply(int status, String body, Map<String, String> headers) {
    static Reply of(int status, String body) {
      return new Reply(status, body, Map.of());
    }

    static Reply refusal(int status, String code) {
      return of(status, "{\"error\": \"A sentence.\", \"code\": \"" + code + "\"}");
    }

    static Reply cut() {
      return of(CUT, "");
    }

    /** None as long as the server runs. */
    static Reply none() {
      return of(NONE, "");
    }

    Reply with(String header, String value) {
      return new Reply(status, body, Map.of(header, value));
    }
  }

  record Received(String call, Headers headers, String body) {}

  final List<Received> received = new ArrayList<>();
  final List<Duration> waits = new ArrayList<>();
  private final Deque<Reply> replies;
  private final HttpServer server;

  FakeServer(Reply... replies) {
    this.replies = new ArrayDeque<>(List.of(replies));
    try {
      server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    server.createContext("/", this::answer);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** A client that notes how long it would wait instead of waiting. */
  Carillon.Builder client() {
    return Carillon.builder(url(), "carillon_key").waiting(() -> 1, waits::add);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    received.add(
        new Received(exchange.getRequestMethod() + " " + exchange.getRequestURI(), exchange.getRequestHeaders(), body));
    Reply reply = replies.isEmpty() ? Reply.of(418, "no reply is left") : replies.remove();
    if (reply.status() == NONE) return;
    if (reply.status() != CUT) {
      exchange.getResponseHeaders().set("Content-Type", "application/json; charset=utf-8");
      reply.headers().forEach(exchange.getResponseHeaders()::set);
      byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(reply.status(), bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
