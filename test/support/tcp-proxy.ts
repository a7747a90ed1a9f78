/** A TCP proxy, as HAProxy or a virtual address would be: clients keep the address, and what it leads to changes. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { portOf } from './ports.ts';

export interface TcpProxy {
  port: number;
  /** Cuts all connections, and leads new ones to another port of this machine. */
  leadTo(port: number): void;
  /** Passes nothing on any more, and cuts nothing: as a line that is dead. */
  freeze(): void;
  close(): Promise<void>;
}

/** @param ownPort where it listens; any that is free, if left out */
export async function openTcpProxy(targetPort: number, ownPort = 0): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let target = targetPort;
  let isFrozen = false;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => {
        if (!isFrozen) to.write(chunk);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  }).listen(ownPort, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server),
    leadTo: (port) => {
      target = port;
      cut();
    },
    freeze: () => {
      isFrozen = true;
    },
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
