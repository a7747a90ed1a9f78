/** The last page before sending: the recipients, their number, the time, and the sender. */
import { useLayoutEffect, useState } from 'preact/hooks';
import type { ApiCall } from '../../frame/api.ts';
import { go, setQuery } from '../../frame/router.ts';
import { app, appAddress, may, session } from '../../frame/session.ts';
import { useAction } from '../../kit/action.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { Form, TextField } from '../../kit/form.tsx';
import { formatAgo, formatTime, plural, zoneName } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { Failure, Loading } from '../../kit/states.tsx';
import { VersionTrays } from '../../tray/versions.tsx';
import { Budget } from './budget.tsx';
import { ContentFacts } from './content-words.tsx';
import { type Counted, CountLine, useCount } from './count.tsx';
import { change, clearDraft, draft, setUnlimited } from './draft/draft.ts';
import { Environment } from './environment.tsx';
import { Faults } from './faults.tsx';
import { bodyFrom } from './draft/json.ts';
import { fieldText, type JsonObject, numberFrom, withMember } from './draft/members.ts';
import { proposedLimit } from './draft/limit.ts';
import { languagesOf } from './draft/content-sections.ts';
import { type ShownPreview, usePreview } from './preview.ts';
import { TargetWords } from './target-words.tsx';
import { isForMany, targetOf } from './draft/target.ts';
import { isPast, utcText } from './draft/times.ts';
import { LocalesCard } from './message/locales.tsx';
import { hasMoments, PlannedWaves } from '../../waves/planned.tsx';
import type { CreatedNotification } from '../../replies.ts';

/** With at least this many devices, their number has to be typed. */
const TYPED_FROM = 100;

export function Review({ notification }: { notification: JsonObject }): Content {
  const { text, sendKey } = draft.value;
  const preview = usePreview(text);
  const counted = useCount(notification['to']);
  useProposedLimit(notification, counted);
  const { compiled } = preview;
  return (
    <div class="stack compose">
      <div class="screen-head">
        <h1 tabindex={-1}>Send this?</h1>
        <button type="button" onClick={() => setQuery({ step: undefined }, 'push')}>
          Back to the form
        </button>
      </div>
      <div class="compose-columns">
        <div class="stack">
          <Facts notification={notification} counted={counted} />
          {hasMoments(notification) && preview.isCurrent && preview.refusal === undefined && (
            <PlannedWaves body={bodyFrom(text)} />
          )}
          {languagesOf(notification).length > 0 && <LocalesCard notification={notification} />}
          <Faults refusal={preview.refusal} notification={notification} />
          {preview.error !== undefined && <Failure error={preview.error} />}
          <SendForm
            key={text}
            call={{
              method: 'POST',
              path: '/v6/notifications',
              body: bodyFrom(text),
              idempotencyKey: sendKey,
            }}
            preview={preview}
            counted={counted}
            isLater={isLater(notification)}
          />
        </div>
        <aside class="stack" aria-label="Preview">
          <h2 class="visually-hidden">Preview</h2>
          {compiled === undefined ? (
            <Loading />
          ) : (
            <>
              <Budget compiled={compiled} />
              <VersionTrays compiled={compiled} appName={app.value?.name ?? ''} isOutdated={preview.isOutdated} />
            </>
          )}
        </aside>
      </div>
    </div>
  );
}

function isLater(notification: JsonObject): boolean {
  if (notification['deliver_at_local'] !== undefined) return true;
  const at = notification['deliver_at'];
  return typeof at === 'string' && !isPast(at);
}

/** Proposes the count and a tenth, unless the writer has chosen a limit or no limit. */
function useProposedLimit(notification: JsonObject, { count }: Counted): void {
  const devices = count?.device_count;
  const wantsOne =
    notification['max_recipients'] === undefined &&
    !draft.value.isUnlimited &&
    notification['dry_run'] !== true &&
    isForMany(targetOf(notification['to']));
  // Runs before the button can be pressed, because a changed draft makes the button, and the field for the number of
  // devices, again.
  useLayoutEffect(() => {
    if (wantsOne && devices !== undefined && devices > 0) {
      change(withMember(notification, 'max_recipients', proposedLimit(devices)));
    }
  }, [wantsOne, devices]);
}

function Facts({ notification, counted }: { notification: JsonObject; counted: Counted }): Content {
  const user = session.value?.user.name ?? '';
  const { name = '', bundle_id: bundleId = '', role = 'viewer' } = app.value ?? {};
  const limit = notification['max_recipients'];
  const setLimit = (text: string): void => {
    setUnlimited(text === '');
    change(withMember(notification, 'max_recipients', numberFrom(text)));
  };
  return (
    <section class="card">
      <h2>What will happen</h2>
      <dl class="facts">
        <dt>To</dt>
        <dd>
          <TargetWords to={notification['to']} />
        </dd>
        <dt>Devices</dt>
        <dd>
          <CountLine counted={counted} />
        </dd>
        <dt>When</dt>
        <dd>
          <When notification={notification} />
        </dd>
        <ContentFacts notification={notification} devices={counted.count?.device_count} />
        <dt>App</dt>
        <dd>
          <bdi>{name}</bdi> ({bundleId})
        </dd>
        <dt>Environment</dt>
        <dd>
          <Environment />
        </dd>
        <dt>Sent by</dt>
        <dd>
          <bdi>{user}</bdi>, {role}
        </dd>
        {notification['dry_run'] === true && (
          <>
            <dt>Dry run</dt>
            <dd>Nothing is sent: the audience is only counted.</dd>
          </>
        )}
      </dl>
      {isForMany(targetOf(notification['to'])) && (
        <div class="compose-limit">
          <TextField
            label="Limit of recipients"
            type="number"
            value={fieldText(limit)}
            hint={limit === undefined ? 'No limit.' : 'If there are more devices when it is sent, nothing is sent.'}
            onInput={setLimit}
          />
        </div>
      )}
    </section>
  );
}

function When({ notification }: { notification: JsonObject }): Content {
  if (notification['deliver_at_local'] !== undefined) return 'At the local time of each device';
  const at = notification['deliver_at'];
  if (typeof at !== 'string' || !isLater(notification)) return 'At once';
  return (
    <>
      {formatTime(at)} <span class="zone">{zoneName(at)}</span> = {utcText(at)}, {formatAgo(at)}
    </>
  );
}

function SendForm(props: { call: ApiCall; preview: ShownPreview; counted: Counted; isLater: boolean }): Content {
  const { call, preview, counted, isLater: later } = props;
  const [typed, setTyped] = useState('');
  const devices = counted.count?.device_count;
  const mustType = devices !== undefined && devices >= TYPED_FROM;
  const { run, isBusy, error } = useAction<CreatedNotification>({
    call,
    onDone: ({ id }) => {
      clearDraft();
      go(appAddress(`notifications/${encodeURIComponent(id)}`));
    },
  });
  const why = reasonAgainst(preview, devices);
  const label = `${later ? 'Schedule for' : 'Send to'} ${devices === undefined ? 'these devices' : plural(devices, 'device')}`;
  return (
    <Form onSubmit={run} class="card compose-fields">
      {mustType && (
        <TextField
          label={`Type ${devices} to confirm`}
          value={typed}
          onInput={setTyped}
          hint="The number of devices. This cannot be undone for those that have it."
        />
      )}
      {error !== undefined && <Failure error={error} />}
      {why !== undefined && <p class="hint">{why}</p>}
      <div class="buttons">
        <button
          class="primary"
          disabled={isBusy || why !== undefined || (mustType && typed.trim() !== String(devices))}
          aria-busy={isBusy}>
          {label}
        </button>
        <Curl call={call} />
      </div>
    </Form>
  );
}

/** Why it cannot be sent now; undefined if it can. */
function reasonAgainst({ refusal, isCurrent }: ShownPreview, devices: number | undefined): string | undefined {
  if (!may('sender')) return 'Your role in this app does not allow sending: it needs the role sender.';
  if (refusal !== undefined) return 'It has faults, which the form can correct.';
  if (devices === 0) return 'Nobody would get it.';
  return isCurrent && devices !== undefined ? undefined : 'It is being checked and counted …';
}
