import { defineScreen } from '../../frame/screen.tsx';
import { Settings } from './page.tsx';
import { General } from './general.tsx';
import { Credentials } from './credentials/credentials.tsx';
import { Keys } from './keys.tsx';
import { OneWebhook, Webhooks } from './webhooks.tsx';
import { QuietHoursTab } from './quiet-hours-screen.tsx';
import { FrequencyCapsTab } from './frequency-caps.tsx';
import { UserTokens } from './user-tokens.tsx';
import { Users } from './users.tsx';

export const screens = [
  defineScreen({ path: 'settings', title: 'Settings', view: Settings }),
  defineScreen({ path: 'settings/general', title: 'General', view: General }),
  defineScreen({ path: 'settings/credentials', title: 'Credentials', view: Credentials }),
  defineScreen({ path: 'settings/keys', title: 'API keys', view: Keys }),
  defineScreen({ path: 'settings/webhooks', title: 'Webhooks', view: Webhooks }),
  defineScreen({ path: 'settings/webhooks/:webhook_id', title: 'Webhook', view: OneWebhook }),
  defineScreen({ path: 'settings/quiet-hours', title: 'Quiet hours', view: QuietHoursTab }),
  defineScreen({ path: 'settings/frequency-caps', title: 'Frequency caps', view: FrequencyCapsTab }),
  defineScreen({ path: 'settings/user-tokens', title: 'User tokens', view: UserTokens }),
  defineScreen({ path: 'settings/users', title: 'Users', view: Users }),
];
