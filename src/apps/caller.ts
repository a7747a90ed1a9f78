/** The caller of the API: an API key, or a user of the console. Both act on one app, with the same permissions. */
import type { Actor } from '../audit/author.ts';
import type { AndroidSettings } from './android-settings.ts';
import type { IdentityMode } from './identity/mode.ts';
import type { Scope } from './scopes.ts';
import type { QuietHours } from './quiet-hours-of-app.ts';

export interface Caller {
  readonly appId: string;
  readonly bundleId: string;
  readonly scopes: readonly Scope[];
  /** The settings of the app. */
  readonly android: AndroidSettings;
  /** The quiet hours of the app, for notifications without their own; null: none. */
  readonly quietHours: QuietHours | null;
  /** Whether the app’s phones must prove their user. */
  readonly identity: IdentityMode;
  readonly by: Actor & { kind: 'key' | 'user' };
}
