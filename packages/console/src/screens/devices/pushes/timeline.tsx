/** Pushes to a device or a user: those to come on top, then the past ones, newest first. Older pages are added below. */
import { useSignal } from '@preact/signals';
import { type ApiCall, ApiFailure, call } from '../../../frame/api.ts';
import { addressOf } from '../../../frame/router.ts';
import { appAddress } from '../../../frame/session.ts';
import { ActionButton } from '../../../kit/action.tsx';
import { Badge } from '../../../kit/badge.tsx';
import { Card } from '../../../kit/card.tsx';
import { Curl } from '../../../kit/developer/curl.tsx';
import type { Content } from '../../../kit/content.ts';
import { TwoLines } from '../../../kit/table.tsx';
import { Time, TimeAgo } from '../../../kit/time.tsx';
import { queryKindOf } from '../query-kind.ts';
import { nameOf, pushStates, textOf } from '../words.ts';
import type {
  DevicePush,
  DevicePushes as DevicePage,
  FoundDevice,
  PushesMeta,
  UserPush,
  UserPushes as UserPage,
} from '../../../replies.ts';

/** The pushes of a device. @param props.first the newest page */
export function DevicePushes({ deviceId, first }: { deviceId: string; first: DevicePage }) {
  const path = `/v6/devices/${encodeURIComponent(deviceId)}/pushes`;
  return (
    <Timeline
      first={first}
      callFor={(cursor) => ({ method: 'GET', path: addressOf(path, { cursor }) })}
      resultOf={(push: DevicePush) => (
        <PushResult
          result={push}
          why={whyAddress(deviceId, push.notification_id)}
          about={textOf(push) ?? push.notification_id}
        />
      )}
      none={<p class="muted">Nothing was sent to this device, and nothing is planned for it.</p>}
    />
  );
}

/** Where the page of a device explains a notification. */
function whyAddress(deviceId: string, notificationId: string): string {
  return appAddress(`devices/${deviceId}`, { why: notificationId });
}

/** @param user a user id, or an e-mail address, which is in no address */
function userPushesCall(user: string, cursor?: string): ApiCall {
  if (queryKindOf(user) === 'email') {
    return { method: 'POST', path: '/v6/users/pushes', body: { user_email: user, cursor } };
  }
  return { method: 'GET', path: addressOf(`/v6/users/${encodeURIComponent(user)}/pushes`, { cursor }) };
}

/** @returns undefined for a user whom no device has and no notification names */
export async function readUserPushes(user: string, signal: AbortSignal): Promise<UserPage | undefined> {
  try {
    return await call<UserPage>(userPushesCall(user), signal);
  } catch (error) {
    if (error instanceof ApiFailure && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** The pushes that name a user, with their state on each device. @param props.first the newest page; `devices` those of the user, for their names */
export function UserPushes({
  user,
  first,
  devices,
}: {
  user: string;
  first: UserPage;
  devices: readonly FoundDevice[];
}) {
  const names = new Map(devices.map(({ device }) => [device.id, nameOf(device)]));
  return (
    <Timeline
      first={first}
      callFor={(cursor) => userPushesCall(user, cursor)}
      resultOf={(push: UserPush) => <Results push={push} names={names} />}
      none={<p class="muted">No notification names this user.</p>}
    />
  );
}

function Results({ push, names }: { push: UserPush; names: ReadonlyMap<string, string> }) {
  const about = textOf(push) ?? push.notification_id;
  if (push.devices.length === 0) return <PushResult result={push} about={about} />;
  // In each row in the same order.
  const order = [...names.keys()];
  const results = push.devices.toSorted((a, b) => order.indexOf(a.device_id) - order.indexOf(b.device_id));
  return results.map((one) => {
    const { device_id: id } = one;
    const name = names.get(id) ?? id.slice(0, 8);
    return (
      <PushResult key={id} result={one} why={whyAddress(id, push.notification_id)} about={`${about}, ${name}`}>
        <a href={appAddress(`devices/${id}`)}>
          <bdi>{name}</bdi>
        </a>
      </PushResult>
    );
  });
}

type ListedPush = DevicePush | UserPush;

interface PushPage<Push extends ListedPush> {
  pushes: readonly Push[];
  meta: PushesMeta;
}

const COMING: ReadonlySet<ListedPush['state']> = new Set(['planned', 'held', 'waiting', 'sending']);

/** @param props.first the newest page, `callFor` the call of another one; `resultOf` is what became of a push, `none` that there is none */
function Timeline<Push extends ListedPush>(props: {
  first: PushPage<Push>;
  callFor: (cursor?: string) => ApiCall;
  resultOf: (push: Push) => Content;
  none: Content;
}) {
  const { first, callFor, resultOf, none } = props;
  const older = useSignal<readonly PushPage<Push>[]>([]);
  const pages = [first, ...older.value];
  const pushes = pages.flatMap((page) => page.pushes);
  const coming = pushes.filter(({ state }) => COMING.has(state)).toSorted((a, b) => momentOf(a) - momentOf(b));
  const past = pushes.filter(({ state }) => !COMING.has(state));
  const { cursor, missing_before: missingBefore } = pages.at(-1)?.meta ?? first.meta;
  return (
    <Card title="Pushes">
      <Curl call={callFor()} />
      {pushes.length === 0 && cursor === null && none}
      {coming.length > 0 && <h3>To come</h3>}
      {coming.length > 0 && <Rows label="To come" pushes={coming} resultOf={resultOf} />}
      {coming.length > 0 && past.length > 0 && <h3>Past</h3>}
      {past.length > 0 && <Rows label={coming.length > 0 ? 'Past' : 'Pushes'} pushes={past} resultOf={resultOf} />}
      {missingBefore !== null && (
        <p class="note">
          After the upgrade of the server, pushes that were created before <Time at={missingBefore} /> are still being
          added: some may be missing.
        </p>
      )}
      {cursor !== null && (
        <ActionButton
          label="Show older ones"
          call={callFor(cursor)}
          onDone={(page: PushPage<Push>) => {
            older.value = [...older.value, page];
          }}
        />
      )}
    </Card>
  );
}

/** What is being sent has no moment, unless it is held for a device, and comes first. */
function momentOf(push: ListedPush): number {
  const at = push.at ?? ('devices' in push ? heldUntil(push) : undefined);
  return at === undefined ? 0 : new Date(at).getTime();
}

function heldUntil({ devices }: UserPush): string | undefined {
  return devices.flatMap(({ state, at }) => (COMING.has(state) ? (at ?? []) : [])).toSorted()[0];
}

function Rows<Push extends ListedPush>(props: {
  label: string;
  pushes: readonly Push[];
  resultOf: (push: Push) => Content;
}) {
  const { label, pushes, resultOf } = props;
  return (
    <ul class="lines devices-pushes" aria-label={label}>
      {pushes.map((push) => (
        <li key={push.notification_id}>
          <div class="devices-text">
            <TwoLines
              name={
                <a href={appAddress(`notifications/${push.notification_id}`)}>
                  {push.title ?? push.alert ?? 'Without text'}
                </a>
              }
              text={push.title === null ? '' : (push.alert ?? '')}
            />
          </div>
          <div class="stack close devices-results">{resultOf(push)}</div>
          <p class="muted">
            <TimeAgo at={momentOf(push) || push.created_at} />
          </p>
        </li>
      ))}
    </ul>
  );
}

type Result = Pick<ListedPush, 'state' | 'at' | 'reason' | 'explanation'> &
  Partial<Pick<DevicePush, 'variant' | 'opened_at'>>;

/** A state and its reason in words; `why` is where it is explained, `about` the text of the push for screen readers, the child its device. */
export function PushResult(props: { result: Result; why?: string; about: string; children?: Content }) {
  const { result, why, about, children } = props;
  const { state, at, reason, explanation, variant = null, opened_at: openedAt = null } = result;
  const { label, tone, moment } = pushStates[state];
  // That a push was accepted needs no reason.
  const isReasonShown = state !== 'accepted' && state !== 'sent';
  return (
    <div>
      <p class="in-line devices-state">
        {children}
        <Badge tone={tone}>{label}</Badge>
        {variant !== null && <span class="muted">{variant === 'hold_out' ? 'hold-out' : `variant ${variant}`}</span>}
        {openedAt !== null && <span class="muted">{['opened ', <TimeAgo at={openedAt} />]}</span>}
        {moment !== undefined && at !== null && <span>{[`${moment} `, <Time at={at} />]}</span>}
        {why !== undefined && (
          <a class="devices-ask" href={why} aria-label={`Why: ${about}`}>
            Why
          </a>
        )}
      </p>
      {isReasonShown && (
        <p class="muted">
          {explanation} {(state === 'waiting' || state === 'failed') && <bdi>{reason}</bdi>}
        </p>
      )}
    </div>
  );
}
