/** Finds one device, and shows what support staff need to know about it. */
import { defineScreen } from '../../frame/screen.ts';
import { LookUp } from './look-up.ts';
import { OneDevice } from './one-device.ts';

export const devices = defineScreen({
  path: 'devices',
  title: 'Devices',
  navigation: { label: 'Devices', icon: 'device', order: 50 },
  view: LookUp,
});

export const device = defineScreen({ path: 'devices/:device_id', title: 'Device', view: OneDevice });
