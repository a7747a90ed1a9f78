package io.github.carillonpush;

/** A call that failed: the server refuses it, or there is no reply. */
public abstract sealed class CarillonException extends RuntimeException permits RefusalException, NoReplyException {
  CarillonException(String message, Throwable cause) {
    super(message, cause);
  }
}
