package io.github.carillonpush;

/** No reply, or only a part of one: the server may have done what the call asked for, or not. */
public final class NoReplyException extends CarillonException {
  NoReplyException(String host, String reason, Throwable cause) {
    super("No reply from " + host + ": " + reason, cause);
  }
}
