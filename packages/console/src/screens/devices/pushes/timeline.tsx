/** Pushes to a device or a user: those to come on top, then the past ones, newest first. Older pages are added below. */
import { useSignal } from '@preact/signals';
import type { ApiCall } from '../../../frame/api.ts';
import { appAddress } from '../../../frame/session.ts';
import { useAction } from '../../../kit/action.tsx';
import { Badge } from '../../../kit/badge.tsx';
import { Curl } from '../../../kit/developer/curl.tsx';
import type { Content } from '../../../kit/content.ts';
import { Failure } from '../../../kit/states.tsx';
import { Time, TimeAgo } from '../../../kit/time.tsx';
import { pushStates } from '../words.ts';
import type { DevicePush, PushesMeta, UserPush } from '../../../replies.ts';

type ListedPush = DevicePush | UserPush;

export interface PushPage<Push extends ListedPush> {
  pushes: readonly Push[];
  meta: PushesMeta;
}

const COMING: ReadonlySet<ListedPush['state']> = new Set(['planned', 'held', 'waiting', 'sending']);

/** @param props.first the newest page, `callFor` the call of another one; `resultOf` is what became of a push, `none` that there is none */
export function Timeline<Push extends ListedPush>(props: {
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
  const { run, isBusy, error } = useAction<PushPage<Push>>({
    call: callFor(cursor ?? undefined),
    onDone: (page) => {
      older.value = [...older.value, page];
    },
  });
  return (
    <section class="card stack" aria-labelledby="pushes">
      <div class="screen-head">
        <h2 id="pushes">Pushes</h2>
        <Curl call={callFor()} />
      </div>
      {pushes.length === 0 && cursor === null && none}
      {coming.length > 0 && <h3 id="coming">To come</h3>}
      {coming.length > 0 && <Rows labelledBy="coming" pushes={coming} resultOf={resultOf} />}
      {coming.length > 0 && past.length > 0 && <h3 id="past">Past</h3>}
      {past.length > 0 && <Rows labelledBy={coming.length > 0 ? 'past' : 'pushes'} pushes={past} resultOf={resultOf} />}
      {missingBefore !== null && (
        <p class="note">
          After the upgrade of the server, pushes that were created before <Time at={missingBefore} /> are still being
          added: some may be missing.
        </p>
      )}
      {cursor !== null && (
        <div>
          <button type="button" disabled={isBusy} aria-busy={isBusy} onClick={run}>
            Show older ones
          </button>
        </div>
      )}
      {error !== undefined && <Failure error={error} retry={run} />}
    </section>
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
  labelledBy: string;
  pushes: readonly Push[];
  resultOf: (push: Push) => Content;
}) {
  const { labelledBy, pushes, resultOf } = props;
  return (
    <ul class="lines devices-pushes" aria-labelledby={labelledBy}>
      {pushes.map((push) => (
        <li key={push.notification_id}>
          <div class="devices-text">
            <a class="cut" dir="auto" href={appAddress(`notifications/${push.notification_id}`)}>
              {push.title ?? push.alert ?? 'Without text'}
            </a>
            {push.title !== null && push.alert !== null && (
              <p class="cut muted" dir="auto">
                {push.alert}
              </p>
            )}
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
