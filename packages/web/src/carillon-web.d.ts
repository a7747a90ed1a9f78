export interface CarillonOptions {
  /** The address of the Carillon server, without a slash at its end: `https://push.example.com`. */
  server: string;
  /** A key with the permission `register` alone; everybody can read it. */
  key: string;
  /** The address of the service worker, or of your own, which imports `carillon-sw.js`. Default: `/carillon-sw.js`. */
  serviceWorker?: string;
  /** More attributes of the device: `app_version`, `tags`, `custom`. */
  device?: Record<string, unknown>;
  /** Who has signed in, on every page; null: nobody. Undefined: the device keeps the user that it has. */
  user?: CarillonUser | null;
  /** Called with each state, first before `openCarillon` resolves. */
  onState?: (state: CarillonState) => void;
}

export interface CarillonUser {
  user_id: string;
  /** Made by your back end, if the app demands user tokens. */
  user_token?: string;
}

/**
 * `add_to_home_screen`: an iPhone or iPad shows notifications only of sites on its Home Screen. `denied`: the user has refused, and
 * only the settings of the browser change that. `unsupported`: the browser has no push.
 */
export type CarillonState = 'on' | 'off' | 'denied' | 'add_to_home_screen' | 'unsupported';

export interface Carillon {
  readonly state: CarillonState;
  /** Asks for the permission, and registers this browser. Call it when the user clicks. Rejects with the words of the server. */
  enable(): Promise<CarillonState>;
  /** Ends the subscription. */
  disable(): Promise<CarillonState>;
  /** After signing in, or, with null, out. */
  setUser(user: CarillonUser | null): Promise<void>;
  /** The number on the icon of an installed site; 0 removes it. */
  setBadge(count: number): Promise<void>;
}

/** Never asks for a permission. Registers again what has changed since the last visit, if notifications are on. */
export function openCarillon(options: CarillonOptions): Promise<Carillon>;
