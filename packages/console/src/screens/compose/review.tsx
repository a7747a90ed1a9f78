/** The last page before sending: the recipients, their number, the time, and the sender. */
import { useLayoutEffect, useState } from 'preact/hooks';
import type { ApiCall } from '../../frame/api.ts';
import { go, setQuery } from '../../frame/router.ts';
import { app, appAddress, may } from '../../frame/session.ts';
import { useAction } from '../../kit/action.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { Form, TextField } from '../../kit/form.tsx';
import { formatNumber, plural } from '../../kit/format.ts';
import { Failure, Loading } from '../../kit/states.tsx';
import type { CreatedNotification } from '../../replies.ts';
import { VersionTrays } from '../../tray/versions.tsx';
import { hasMoments, PlannedWaves } from '../../waves/planned.tsx';
import { Bar, GuardedButton } from './bar.tsx';
import { bodyFrom, change, clearDraft, draft, setUnlimited } from './draft/draft.ts';
import { fieldText, type JsonObject, numberFrom, withMember } from './draft/members.ts';
import { isForMany } from './draft/target.ts';
import { isLater } from './draft/times.ts';
import { proposedLimit, type Reach, reachOf } from './draft/variants.ts';
import { FactsOf } from './facts.tsx';
import { Budget } from './preview-column.tsx';
import { reasonAgainst, type ShownPreview, useCount, usePreview } from './preview.ts';

/** With at least this many devices, their number has to be typed. */
const TYPED_FROM = 100;

export function Review({ notification }: { notification: JsonObject }) {
  const { text, isUnlimited } = draft.value;
  const { to, max_recipients: limit, dry_run: isDry } = notification;
  const preview = usePreview(text);
  const counted = useCount(to);
  const { compiled } = preview;
  const all = counted.count?.device_count ?? 0;
  const wantsLimit = limit === undefined && !isUnlimited && isDry !== true && isForMany(to);
  // The count and a tenth, unless the writer has chosen a limit or no limit. Runs before the button can be pressed, because a
  // changed draft makes the button, and the field for the number of devices, again.
  useLayoutEffect(() => {
    if (wantsLimit && all > 0) change(withMember(notification, 'max_recipients', proposedLimit(all)));
  }, [wantsLimit, all]);
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
          <section class="card stack" aria-label="What will happen">
            <ReachWords reach={reach} />
            <FactsOf notification={notification} devices={reach && reach.devices + reach.heldOut} />
            {isForMany(to) && (
              <div class="compose-pair">
                <TextField
                  label="Limit of recipients"
                  type="number"
                  value={fieldText(limit)}
                  hint={
                    limit === undefined ? 'No limit.' : 'If there are more devices when it is sent, nothing is sent.'
                  }
                  onInput={(written) => {
                    setUnlimited(written === '');
                    change(withMember(notification, 'max_recipients', numberFrom(written)));
                  }}
                />
              </div>
            )}
          </section>
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
        <SendForm key={text} preview={preview} reach={reach} isLater={isLater(notification)} />
      </Bar>
    </div>
  );
}

/** '834': the number that the button has, and what is not among it. */
function ReachWords({ reach }: { reach: Reach | undefined }) {
  if (reach === undefined) return <p role="status">Counting …</p>;
  const { devices, isEstimate, withoutToken, heldOut } = reach;
  const left = [
    ...(heldOut > 0 ? [`about ${formatNumber(heldOut)} are held out`] : []),
    ...(withoutToken > 0 ? [`${formatNumber(withoutToken)} without a push token`] : []),
  ];
  return (
    <div role="status">
      {isEstimate && 'About '}
      <strong class="display">{formatNumber(devices)}</strong> {devices === 1 ? 'device gets it' : 'devices get it'}
      {left.length > 0 && <p class="muted">Not among them: {left.join(', ')}.</p>}
    </div>
  );
}

function SendForm(props: { preview: ShownPreview; reach: Reach | undefined; isLater: boolean }) {
  const { preview, reach, isLater: later } = props;
  const { text, sendKey } = draft.value;
  const [typed, setTyped] = useState('');
  const call: ApiCall = { method: 'POST', path: '/v6/notifications', body: bodyFrom(text), idempotencyKey: sendKey };
  const { run, isBusy, error } = useAction<CreatedNotification>({
    call,
    onDone: ({ id }) => {
      clearDraft();
      go(appAddress(`notifications/${encodeURIComponent(id)}`));
    },
  });
  const { devices, isEstimate = false } = reach ?? {};
  const mustType = devices !== undefined && devices >= TYPED_FROM;
  const isTyped = !mustType || typed.trim() === String(devices);
  const why = whyNot(preview, devices) ?? (isTyped ? undefined : `Type ${devices} first.`);
  const whom = devices === undefined ? 'these devices' : plural(devices, 'device');
  return (
    <Form onSubmit={async () => (why === undefined && !isBusy ? run() : undefined)} class="compose-send">
      {error !== undefined && <Failure error={error} />}
      {mustType && <TextField label={`Type ${devices} to confirm`} value={typed} onInput={setTyped} />}
      {!may('sender') && <p class="hint">{why}</p>}
      <GuardedButton kind="primary" submit isBusy={isBusy} why={why}>
        {later ? 'Schedule for' : 'Send to'} {isEstimate && 'about '}
        {whom}
      </GuardedButton>
      <Curl call={call} />
    </Form>
  );
}

function whyNot(preview: ShownPreview, devices: number | undefined): string | undefined {
  if (!may('sender')) return 'Your role in this app does not allow sending: it needs the role sender.';
  if (devices === 0) return 'Nobody would get it.';
  return reasonAgainst(preview) ?? (devices === undefined ? 'It is being counted …' : undefined);
}
