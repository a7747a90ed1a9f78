import { defineScreen } from '../../frame/screen.ts';
import { NotificationList } from './list.ts';
import { OneNotification } from './one.ts';

export const screens = [
  defineScreen({ path: 'notifications', title: 'Notifications', view: NotificationList }),
  defineScreen({ path: 'notifications/:notification_id', title: 'Notification', view: OneNotification }),
];
