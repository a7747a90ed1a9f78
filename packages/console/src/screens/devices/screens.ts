import { defineScreen } from '../../frame/screen.ts';
import { LookUp } from './look-up.ts';
import { OneDevice } from './one-device.ts';

export const screens = [
  defineScreen({ path: 'devices', title: 'Devices', view: LookUp }),
  defineScreen({ path: 'devices/:device_id', title: 'Device', view: OneDevice }),
];
