/** Connections for `sslmode=prefer` and `allow`, which the driver lacks: encrypted if the server offers TLS. */
import { connect } from 'node:net';
import { Client } from 'pg';

/** https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-SSLREQUEST */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const ANSWER_MS_MAX = 5_000;

/**
 * Asks the server on a connection of its own before each connection, because the driver ends its connection when the
 * answer is no.
 */
export class optionalTls extends Client {
  override connect(): Promise<Client>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<Client> | void {
    if (callback === undefined) {
      return new Promise((resolve, reject) => {
        this.connect((error) => (error === null ? resolve(this) : reject(error)));
      });
    }
    whetherTls(this.port, this.host, (offers) => {
      if (!offers) {
        this.ssl = false;
        Reflect.set(this.connection, 'ssl', false);
      }
      super.connect(callback);
    });
  }
}

/** Also says no if the server does not answer: then the connection itself fails, with its own message. */
function whetherTls(port: number, host: string, answer: (offers: boolean) => void): void {
  const socket = connect(port, host);
  let isOffered = false;
  socket.setTimeout(ANSWER_MS_MAX, () => socket.destroy());
  socket.once('connect', () => socket.write(SSL_REQUEST));
  socket.once('data', (data) => {
    isOffered = data.toString('latin1') === 'S';
    socket.destroy();
  });
  socket.on('error', () => undefined);
  socket.once('close', () => answer(isOffered));
}
