/** The one module of node-apn that is used: its index also loads a client of its own, which takes 60 ms of each start. */
declare module '@parse/node-apn/lib/notification/index.js' {
  import type { Notification as Described } from '@parse/node-apn';

  export default class Notification extends Described {
    /** The package documents it as public, but its types lack it. */
    headers(): Record<string, string | number>;
    compile(): string;
  }
}
