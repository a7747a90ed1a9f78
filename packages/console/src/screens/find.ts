/** What has a text, as the server says: devices, users, notifications and audiences. */
import { call } from '../frame/api.ts';
import { addressOf } from '../frame/router.ts';
import { appAddress } from '../frame/session.ts';
import type { IconName } from '../kit/icon.tsx';
import type { AudienceList, FoundDevices } from '../replies.ts';
import { mayBeInAddress, queryKindOf } from './devices/query-kind.ts';
import { readUserPushes } from './devices/pushes/timeline.tsx';
import { nameOf, userAddress } from './devices/words.ts';
import { type NotificationPage, stateLabels, titleOf } from './notifications/notification.tsx';

/** Something to open, or in the palette something to do. */
export interface Entry {
  /** Unique among all that are shown at once; of a thing, its kind and its own id. */
  id: string;
  icon: IconName;
  title: string;
  /** What tells it from others with the same title. */
  detail?: string;
  /** An address relative to `/console/`, or what to do. */
  target: string | (() => void);
}

/** Entries of one kind, with their heading. */
export interface Section {
  label: string;
  entries: readonly Entry[];
  /** Why it was not searched, or not completely. */
  note?: string;
}

const SHOWN_MAX = 5;
/** Audiences that are searched: the server has no search by name. */
const AUDIENCES_MAX = 100;
/** The beginning of an id, as lists and logs show it. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f-]*)?$/i;

export interface Source {
  label: string;
  /** @param text without space at its ends, not empty. It may be a push token or an e-mail address, so it is in no address */
  find: (text: string, signal: AbortSignal) => Promise<Section>;
}

/** In the order in which the palette shows them. */
export const sources: readonly Source[] = [
  { label: 'Devices and users', find: findDevices },
  { label: 'Notifications', find: findNotifications },
  { label: 'Audiences', find: findAudiences },
];

async function findDevices(text: string, signal: AbortSignal): Promise<Section> {
  const found = await call<FoundDevices>(
    { method: 'POST', path: '/v6/devices/lookup', body: { query: text } },
    signal,
  );
  const users = new Set(found.devices.flatMap(({ device }) => device.user_id ?? []));
  if (found.devices.length === 0 && (await isNamed(text, signal))) users.add(text);
  const ofUsers = [...users].slice(0, SHOWN_MAX).flatMap((user): Entry[] => {
    const target = userAddress(user);
    return target === undefined
      ? []
      : [{ id: `user ${user}`, icon: 'user', title: user, detail: 'User', target }];
  });
  const ofDevices = found.devices.slice(0, SHOWN_MAX).map(({ device }): Entry => ({
    id: `device ${device.id}`,
    icon: 'device',
    title: nameOf(device),
    detail: [device.user_id ?? device.user_email, device.id.slice(0, 8)]
      .filter((part) => part !== null)
      .join(' · '),
    target: appAddress(`devices/${device.id}`),
  }));
  return {
    label: 'Devices and users',
    entries: [...ofUsers, ...ofDevices],
    ...(found.erased_at !== null && { note: 'This device was erased; only its id is kept.' }),
  };
}

/** Whether a notification names it as a user, who has no device. */
async function isNamed(text: string, signal: AbortSignal): Promise<boolean> {
  return queryKindOf(text) === 'other' && (await readUserPushes(text, signal)) !== undefined;
}

async function findNotifications(text: string, signal: AbortSignal): Promise<Section> {
  const label = 'Notifications';
  const isId = ID.test(text);
  // Words that only people have are not looked for in texts, and stay out of the address.
  if (!isId && (queryKindOf(text) !== 'other' || !mayBeInAddress(text))) return { label, entries: [] };
  const path = addressOf('/v6/notifications', { per: SHOWN_MAX, ...(isId ? { id: text } : { text }) });
  const { notifications, meta } = await call<NotificationPage>({ method: 'GET', path }, signal);
  return {
    label,
    entries: notifications.map((one) => ({
      id: `notification ${one.id}`,
      icon: 'notification',
      title: titleOf(one),
      detail: `${stateLabels[one.state]} · ${one.id.slice(0, 8)}`,
      target: appAddress(`notifications/${one.id}`),
    })),
    ...(meta.searched_until !== null && { note: 'The 10,000 newest notifications were searched.' }),
  };
}

async function findAudiences(text: string, signal: AbortSignal): Promise<Section> {
  const path = addressOf('/v6/audiences', { kind: 'named', per: AUDIENCES_MAX });
  const { audiences } = await call<AudienceList>({ method: 'GET', path }, signal);
  const wanted = text.toLowerCase();
  const found = audiences.filter(
    ({ name, id }) => (name ?? '').toLowerCase().includes(wanted) || (ID.test(text) && id.startsWith(wanted)),
  );
  return {
    label: 'Audiences',
    entries: found.slice(0, SHOWN_MAX).map(({ id, name }) => ({
      id: `audience ${id}`,
      icon: 'audience',
      title: name ?? id.slice(0, 8),
      target: appAddress(`audiences/${id}`),
    })),
    ...(audiences.length === AUDIENCES_MAX && {
      note: `The ${AUDIENCES_MAX} newest audiences were searched.`,
    }),
  };
}
