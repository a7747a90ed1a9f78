import { defineScreen } from '../../frame/screen.tsx';
import { LookUp } from './look-up.tsx';
import { OneDevice } from './one-device.tsx';

export const screens = [
  defineScreen({ path: 'devices', title: 'Devices', view: LookUp }),
  defineScreen({ path: 'devices/:device_id', title: 'Device', view: OneDevice }),
];
