import { defineGroup, type Group } from '../frame/screen.tsx';

/** Every screen, by the first segment of its address. The navigation has them in this order, without those that the role cannot use. */
export const groups: readonly Group[] = [
  defineGroup({
    name: 'overview',
    navigation: { label: 'Overview', icon: 'overview' },
    load: async () => import('./overview/screens.ts'),
  }),
  defineGroup({
    name: 'notifications',
    navigation: { label: 'Notifications', icon: 'notification' },
    load: async () => import('./notifications/screens.ts'),
  }),
  defineGroup({
    name: 'compose',
    navigation: { label: 'Compose', icon: 'compose', needs: 'sender' },
    load: async () => import('./compose/screens.ts'),
  }),
  defineGroup({
    name: 'audiences',
    navigation: { label: 'Audiences', icon: 'audience' },
    load: async () => import('./audiences/screens.ts'),
  }),
  defineGroup({
    name: 'devices',
    navigation: { label: 'Devices', icon: 'device' },
    load: async () => import('./devices/screens.ts'),
  }),
  // The address that a tab of notifications had.
  defineGroup({ name: 'outcomes', load: async () => import('./notifications/screens.ts') }),
  defineGroup({
    name: 'audit',
    navigation: { label: 'Audit log', icon: 'audit', needs: 'admin' },
    load: async () => import('./audit/screens.ts'),
  }),
  defineGroup({
    name: 'settings',
    navigation: { label: 'Settings', icon: 'settings' },
    load: async () => import('./settings/screens.ts'),
  }),
  defineGroup({ name: 'start', load: async () => import('./start/screens.ts') }),
  defineGroup({ name: 'start', outside: 'signed-in', load: async () => import('./start/screens.ts') }),
  defineGroup({ name: 'account', outside: 'signed-in', load: async () => import('./account/screens.ts') }),
  defineGroup({ name: 'sign-in', outside: 'public', load: async () => import('./sign-in/screens.ts') }),
  defineGroup({ name: 'invite', outside: 'public', load: async () => import('./invite/screens.ts') }),
];
