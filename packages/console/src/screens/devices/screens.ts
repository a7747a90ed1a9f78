import { defineScreen } from '../../frame/screen.tsx';
import { LookUp } from './look-up.tsx';
import { OneDevice } from './one-device.tsx';
import { OneUser } from './user.tsx';

export const screens = [
  defineScreen({ path: 'devices', title: 'Devices', view: LookUp }),
  defineScreen({ path: 'devices/:device_id', title: 'Device', view: OneDevice }),
  defineScreen({ path: 'devices/users/:user_id', title: 'User', view: OneUser }),
];
