import { defineScreen } from '../../frame/screen.tsx';
import { CalendarScreen } from './calendar/calendar.tsx';
import { NotificationList } from './list.tsx';
import { OneNotification } from './one.tsx';
import { LeadToOutcomes } from './outcomes.tsx';

export const screens = [
  defineScreen({ path: 'notifications', title: 'Notifications', view: NotificationList }),
  defineScreen({ path: 'notifications/calendar', title: 'Calendar', view: CalendarScreen }),
  defineScreen({ path: 'notifications/:notification_id', title: 'Notification', view: OneNotification }),
  defineScreen({ path: 'outcomes', title: 'Outcomes', view: LeadToOutcomes }),
];
