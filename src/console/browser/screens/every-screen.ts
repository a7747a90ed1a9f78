import type { Screen } from '../frame/screen.ts';
import { account } from './account/account.ts';
import { audience, audiences, newAudience } from './audiences/audiences.ts';
import { compose } from './compose/compose.ts';
import { device, devices } from './devices/devices.ts';
import { invite } from './invite/invite.ts';
import { notification, notifications } from './notifications/notifications.ts';
import { users } from './settings/users.ts';
import { audit } from './audit/audit.ts';
import { outcomes } from './outcomes/outcomes.ts';
import { overview } from './overview/overview.ts';
import { settingsCredentials } from './settings/credentials.ts';
import { settingsFrequencyCaps } from './settings/frequency-caps.ts';
import { settingsKeys } from './settings/keys.ts';
import { settingsQuietHours } from './settings/quiet-hours-screen.ts';
import { settings } from './settings/settings.ts';
import { settingsWebhook } from './settings/webhook.ts';
import { settingsWebhooks } from './settings/webhooks.ts';
import { signIn } from './sign-in/sign-in.ts';

/** Every screen of the console. The first one whose address matches is shown. */
export const everyScreen: readonly Screen[] = [
  overview,
  signIn,
  invite,
  compose,
  audiences,
  newAudience,
  audience,
  devices,
  device,
  notifications,
  notification,
  users,
  account,
  outcomes,
  audit,
  settings,
  settingsCredentials,
  settingsKeys,
  settingsWebhooks,
  settingsWebhook,
  settingsQuietHours,
  settingsFrequencyCaps,
];
