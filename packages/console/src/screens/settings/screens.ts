import { defineScreen } from '../../frame/screen.ts';
import { Settings } from './settings.ts';
import { Credentials } from './credentials.ts';
import { Keys } from './keys.ts';
import { Webhooks } from './webhooks.ts';
import { OneWebhook } from './webhook.ts';
import { QuietHoursTab } from './quiet-hours-screen.ts';
import { FrequencyCapsTab } from './frequency-caps.ts';
import { Users } from './users.ts';

export const screens = [
  defineScreen({ path: 'settings', title: 'Settings', view: Settings }),
  defineScreen({ path: 'settings/credentials', title: 'Credentials', view: Credentials }),
  defineScreen({ path: 'settings/keys', title: 'API keys', view: Keys }),
  defineScreen({ path: 'settings/webhooks', title: 'Webhooks', view: Webhooks }),
  defineScreen({ path: 'settings/webhooks/:webhook_id', title: 'Webhook', view: OneWebhook }),
  defineScreen({ path: 'settings/quiet-hours', title: 'Quiet hours', view: QuietHoursTab }),
  defineScreen({ path: 'settings/frequency-caps', title: 'Frequency caps', view: FrequencyCapsTab }),
  defineScreen({ path: 'settings/users', title: 'Users', view: Users }),
];
