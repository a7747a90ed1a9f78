/** The last page before sending: the recipients, their number, the time, and the sender. */
import { useLayoutEffect, useState } from 'preact/hooks';
import type { ApiCall } from '../../frame/api.ts';
import { go, setQuery } from '../../frame/router.ts';
import { app, appAddress, may } from '../../frame/session.ts';
import { useAction } from '../../kit/action.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { Form, TextField } from '../../kit/form.tsx';
import { formatNumber, plural } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { Failure, Loading } from '../../kit/states.tsx';
import { VersionTrays } from '../../tray/versions.tsx';
import { Budget } from './budget.tsx';
import { Bar, GuardedButton } from './bar.tsx';
import { type Counted, useCount } from './count.tsx';
import { change, clearDraft, draft, setUnlimited } from './draft/draft.ts';
import { FactsOf } from './facts.tsx';
import { bodyFrom } from './draft/json.ts';
import { fieldText, type JsonObject, numberFrom, withMember } from './draft/members.ts';
import { proposedLimit, type Reach, reachOf } from './draft/reach.ts';
import { reasonAgainst, type ShownPreview, usePreview } from './preview.ts';
import { isForMany, targetOf } from './draft/target.ts';
import { isLater } from './draft/times.ts';
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
  const reach = counted.count && reachOf(notification, counted.count);
  return (
    <div class="compose">
      <div class="screen-head">
        <h1 tabindex={-1}>Send this?</h1>
        <button type="button" onClick={() => setQuery({ step: undefined }, 'push')}>
          Back to the form
        </button>
      </div>
      <div class="compose-columns">
        <div class="stack">
          <Facts notification={notification} reach={reach} />
          {hasMoments(notification) && preview.isCurrent && preview.refusal === undefined && (
            <PlannedWaves body={bodyFrom(text)} />
          )}
        </div>
        <aside class="stack compose-preview" aria-label="Preview">
          <h2 class="visually-hidden">Preview</h2>
          {compiled === undefined ? (
            <Loading />
          ) : (
            <>
              <VersionTrays compiled={compiled} appName={app.value?.name ?? ''} isOutdated={preview.isOutdated} />
              <Budget compiled={compiled} />
            </>
          )}
        </aside>
      </div>
      <Bar counted={counted} preview={preview}>
        <SendForm
          key={text}
          call={{ method: 'POST', path: '/v6/notifications', body: bodyFrom(text), idempotencyKey: sendKey }}
          preview={preview}
          reach={reach}
          isLater={isLater(notification)}
        />
      </Bar>
    </div>
  );
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

function Facts({ notification, reach }: { notification: JsonObject; reach: Reach | undefined }): Content {
  const limit = notification['max_recipients'];
  const setLimit = (text: string): void => {
    setUnlimited(text === '');
    change(withMember(notification, 'max_recipients', numberFrom(text)));
  };
  return (
    <section class="card compose-fields" aria-label="What will happen">
      <ReachWords reach={reach} />
      <FactsOf notification={notification} devices={reach && reach.devices + reach.heldOut} />
      {isForMany(targetOf(notification['to'])) && (
        <div class="compose-pair">
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

/** '834': the number that the button has, and what is not among it. */
function ReachWords({ reach }: { reach: Reach | undefined }): Content {
  if (reach === undefined) return <p role="status">Counting …</p>;
  const { devices, isEstimate, withoutToken, heldOut } = reach;
  const left = [
    ...(heldOut > 0 ? [`about ${formatNumber(heldOut)} are held out`] : []),
    ...(withoutToken > 0 ? [`${formatNumber(withoutToken)} without a push token`] : []),
  ];
  return (
    <div class="compose-reach" role="status">
      {isEstimate && 'About '}
      <strong class="display">{formatNumber(devices)}</strong> {devices === 1 ? 'device gets it' : 'devices get it'}
      {left.length > 0 && <p class="muted">Not among them: {left.join(', ')}.</p>}
    </div>
  );
}

function SendForm(props: {
  call: ApiCall;
  preview: ShownPreview;
  reach: Reach | undefined;
  isLater: boolean;
}): Content {
  const { call, preview, reach, isLater: later } = props;
  const [typed, setTyped] = useState('');
  const devices = reach?.devices;
  const mustType = devices !== undefined && devices >= TYPED_FROM;
  const { run, isBusy, error } = useAction<CreatedNotification>({
    call,
    onDone: ({ id }) => {
      clearDraft();
      go(appAddress(`notifications/${encodeURIComponent(id)}`));
    },
  });
  const isTyped = !mustType || typed.trim() === String(devices);
  const why = whyNot(preview, devices) ?? (isTyped ? undefined : `Type ${devices} first.`);
  const label = `${later ? 'Schedule for' : 'Send to'} ${reach?.isEstimate ? 'about ' : ''}${devices === undefined ? 'these devices' : plural(devices, 'device')}`;
  return (
    <Form onSubmit={async () => (why === undefined && !isBusy ? run() : undefined)} class="compose-send">
      {error !== undefined && <Failure error={error} />}
      {mustType && <TextField label={`Type ${devices} to confirm`} value={typed} onInput={setTyped} />}
      {!may('sender') && <p class="hint">{why}</p>}
      <GuardedButton kind="primary" submit isBusy={isBusy} why={why}>
        {label}
      </GuardedButton>
      <Curl call={call} />
    </Form>
  );
}

/** Why it cannot be sent now; undefined if it can. */
function whyNot(preview: ShownPreview, devices: number | undefined): string | undefined {
  if (!may('sender')) return 'Your role in this app does not allow sending: it needs the role sender.';
  if (devices === 0) return 'Nobody would get it.';
  return reasonAgainst(preview) ?? (devices === undefined ? 'It is being counted …' : undefined);
}
