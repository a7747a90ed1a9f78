import type { Role } from '../../frame/session.ts';

/** The parts of the settings; the words are what else a reader may type to find them. */
export const parts: readonly { path: string; title: string; words: string; needs?: Role }[] = [
  { path: 'settings/general', title: 'General', words: 'app' },
  { path: 'settings/credentials', title: 'Credentials', words: 'apple google apns fcm p8 service account' },
  { path: 'settings/keys', title: 'API keys', words: 'token secret', needs: 'admin' },
  { path: 'settings/webhooks', title: 'Webhooks', words: 'events', needs: 'admin' },
  { path: 'settings/quiet-hours', title: 'Quiet hours', words: 'night do not disturb' },
  { path: 'settings/frequency-caps', title: 'Frequency caps', words: 'limit per day' },
  { path: 'settings/user-tokens', title: 'User tokens', words: 'identity verify jwt sign' },
  { path: 'settings/users', title: 'Users', words: 'people invite roles colleagues', needs: 'admin' },
];
