import { useEffect } from 'preact/hooks';
import { go, place } from '../../frame/router.ts';
import { appAddress } from '../../frame/session.ts';
import { outcomesAddress } from '../notifications/notification.tsx';

/** Outcomes are a tab of their notification: leads from the address that they had to the tab, or to the list. */
export function LeadToOutcomes(): null {
  useEffect(() => {
    const { notification = '', ...filters } = Object.fromEntries(place.peek().query);
    go(notification === '' ? appAddress('notifications') : outcomesAddress(notification, filters), 'replace');
  }, []);
  return null;
}
