import { defineScreen } from '../../frame/screen.ts';
import { NotificationList } from './list.ts';
import { OneNotification } from './one.ts';

export const notifications = defineScreen({
  path: 'notifications',
  title: 'Notifications',
  navigation: { label: 'Notifications', icon: 'notification', order: 20 },
  view: NotificationList,
});

export const notification = defineScreen({
  path: 'notifications/:notification_id',
  title: 'Notification',
  view: OneNotification,
});
