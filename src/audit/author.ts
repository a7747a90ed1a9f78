/** An API key, a user of the console, the command line, or the server by itself. */
export interface Actor {
  kind: 'key' | 'user' | 'command_line' | 'server';
  id: string;
  /** The name of the user or of the key as it is now; null if it has none. */
  name: string | null;
}

/** The actor of a change, and the request that made it. */
export interface Author {
  by: Actor;
  /** The IP address of the caller; null without a request. */
  address: string | null;
  requestId: string | null;
}

/** The author of changes by commands; the log does not know which person ran the command. */
export const commandLine: Author = {
  by: { kind: 'command_line', id: 'command_line', name: null },
  address: null,
  requestId: null,
};

/** The author of changes by periodic jobs, which follow the operator's settings. */
export const server: Author = {
  by: { kind: 'server', id: 'server', name: null },
  address: null,
  requestId: null,
};
