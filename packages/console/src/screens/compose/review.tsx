/** The last page before sending: the recipients, their number, what will happen in words, and the sender. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { readFilters } from '../../filter-builder/filters-text.ts';
import { isObject } from '../../filter-builder/language.ts';
import { filtersWords } from '../../filter-builder/words.ts';
import type { ApiCall } from '../../frame/api.ts';
import { go, setQuery } from '../../frame/router.ts';
import { routesOfApp } from '../../frame/routes-of-app.ts';
import { app, appAddress, may, session } from '../../frame/session.ts';
import { useAction } from '../../kit/action.tsx';
import { Facts } from '../../kit/card.tsx';
import type { Content } from '../../kit/content.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import { JsonView } from '../../kit/developer/json-view.tsx';
import { Form, TextField } from '../../kit/form.tsx';
import {
  formatAgo,
  formatNumber,
  formatShare,
  formatTime,
  languageName,
  listed,
  plural,
  zoneName,
} from '../../kit/format.ts';
import { Failure, Loading, useReply, useResource } from '../../kit/states.tsx';
import type { AppRoute, CreatedNotification } from '../../replies.ts';
import { VersionTrays } from '../../tray/versions.tsx';
import { hasMoments, PlannedWaves } from '../../waves/planned.tsx';
import { Bar, GuardedButton } from './bar.tsx';
import { languagesOf } from './draft/content-sections.ts';
import { bodyFrom, change, clearDraft, draft, setUnlimited } from './draft/draft.ts';
import { fieldText, type JsonObject, numberFrom, withMember } from './draft/members.ts';
import { DEVELOPMENT, isForMany, targetOf } from './draft/target.ts';
import { isLater, utcText } from './draft/times.ts';
import { proposedLimit, type Reach, reachOf, sharesOf, variantName, variantsOf } from './draft/variants.ts';
import { Budget, reasonAgainst, type ShownPreview, useCount, usePreview } from './preview.tsx';
import { LocalesOfAudience } from './what/locales.tsx';

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
        <h1>Send this?</h1>
        <button type="button" onClick={() => setQuery({ step: undefined }, 'push')}>
          Back to the form
        </button>
      </div>
      <div class="stack compose-columns">
        <div class="stack">
          <section class="card stack" aria-label="What will happen">
            <ReachWords reach={reach} />
            <FactsOf notification={notification} devices={reach && reach.devices + reach.heldOut} />
            {isForMany(to) && (
              <TextField
                label="Limit of recipients"
                type="number"
                value={fieldText(limit)}
                hint={limit === undefined ? 'No limit.' : 'If there are more devices when it is sent, nothing is sent.'}
                onInput={(written) => {
                  setUnlimited(written === '');
                  change(withMember(notification, 'max_recipients', numberFrom(written)));
                }}
              />
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
    <Form onSubmit={async () => (why === undefined && !isBusy ? run() : undefined)} class="toolbar">
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

interface FactsProps {
  notification: JsonObject;
  /** How many devices it is for; undefined while they are counted. */
  devices: number | undefined;
}

/** What will happen, in words: recipients, moment, languages, variants, routes, sender. */
function FactsOf({ notification, devices }: FactsProps) {
  const { to, template, receipts, dry_run: isDry } = notification;
  const languages = languagesOf(notification);
  const { name = '', bundle_id: bundleId = '', role = 'viewer' } = app.value ?? {};
  const facts: readonly (readonly [name: string, content: Content])[] = [
    ['To', <TargetWords to={to} />],
    ['When', <When notification={notification} />],
    [
      'Languages',
      languages.length > 0 && (
        <>
          The default and {plural(languages.length, 'translation')}:{' '}
          <bdi>{listed(languages.map((tag) => languageName(tag)))}</bdi>
          <LocalesOfAudience notification={notification} />
        </>
      ),
    ],
    [
      'Values in texts',
      template !== undefined &&
        template !== false &&
        (isObject(template) && template['on_missing'] === 'skip'
          ? 'A device that lacks one gets nothing'
          : 'A device that lacks one gets the text without it'),
    ],
    ['A/B test', variantsOf(notification).length > 0 && <TestWords notification={notification} devices={devices} />],
    ['Receipts', receipts !== undefined && `${sampleWords(receipts)} asked to report that they received and showed it`],
    ['App', [<bdi>{name}</bdi>, ` (${bundleId})`]],
    ['Environment', <Environment />],
    ['Sent by', [<bdi>{session.value?.user.name ?? ''}</bdi>, `, ${role}`]],
    ['Dry run', isDry === true && 'Nothing is sent: the audience is only counted.'],
  ];
  return <Facts facts={facts} />;
}

function TargetWords({ to }: { to: unknown }) {
  const target = targetOf(to);
  switch (target.kind) {
    case 'everyone':
      return 'Everyone: all devices of the app';
    case 'audience':
      return <AudienceWords id={target.id} />;
    case 'filters': {
      const { filters } = readFilters(JSON.stringify(to));
      if (JSON.stringify(to) === JSON.stringify(DEVELOPMENT)) return 'Development devices';
      return filters === undefined ? <JsonView value={to} /> : <bdi>Devices where {filtersWords(filters)}</bdi>;
    }
    case 'device':
      return ['The device ', <a href={appAddress(`devices/${encodeURIComponent(target.id)}`)}>{target.id}</a>];
    case 'user':
      return ['The devices of the user ', <bdi>{target.id}</bdi>];
    case 'none':
      return 'Nobody yet';
    case 'other':
      return <JsonView value={to} />;
  }
}

function AudienceWords({ id }: { id: string }) {
  const path = `audiences/${encodeURIComponent(id)}`;
  const { data } = useReply<{ audience: { name: string } }>({ method: 'GET', path: `/v6/${path}` });
  return (
    <>
      The audience{' '}
      <a href={appAddress(path)}>
        <bdi>{data?.audience.name ?? id}</bdi>
      </a>
    </>
  );
}

function When({ notification }: { notification: JsonObject }) {
  const { deliver_at: at, deliver_at_local: local } = notification;
  if (local !== undefined) return 'At the local time of each device';
  if (typeof at !== 'string' || !isLater(notification)) return 'At once';
  return (
    <>
      {formatTime(at)} <span class="zone">{zoneName(at)}</span> = {utcText(at)}, {formatAgo(at)}
    </>
  );
}

function TestWords({ notification, devices }: FactsProps) {
  const { ofVariants, holdOut } = sharesOf(notification);
  const { experiment } = notification;
  const words = (share: number | undefined): string => {
    if (share === undefined) return '–';
    const about = devices === undefined ? '' : `, about ${plural(Math.round(share * devices), 'device')}`;
    return `${formatShare(share, 1)}${about}`;
  };
  return (
    <>
      <ul>
        {ofVariants.map((share, index) => (
          <li key={index}>
            <strong dir="auto">{variantName(notification, index)}</strong> {words(share)}
          </li>
        ))}
        {holdOut > 0 && (
          <li>
            <strong>Nothing</strong> (hold-out) {words(holdOut)}
          </li>
        )}
      </ul>
      {typeof experiment === 'string' && (
        <p>
          Users are assigned by the experiment <bdi>{experiment}</bdi>, as in its other notifications.
        </p>
      )}
    </>
  );
}

function sampleWords(receipts: unknown): string {
  const sample = isObject(receipts) ? receipts['sample'] : undefined;
  return typeof sample === 'number' && sample < 1 ? `${formatShare(sample, 1)} of the devices are` : 'All devices are';
}

const ROUTES = {
  apns_production: 'Apple, production',
  apns_sandbox: 'Apple’s sandbox, for devices flagged as development',
  fcm: 'Google',
  web_push: 'Web Push, to browsers',
} as const;

/** The routes to the app's devices, with a note if one is closed. */
function Environment() {
  const { state } = useResource(routesOfApp, []);
  const routes = (state.value.data ?? []).filter(({ has_devices: isUsed }) => isUsed);
  return (
    <ul>
      {routes.map((one) => (
        <li key={one.route}>
          {ROUTES[one.route]}
          <strong class="fault">{closed(one)}</strong>
        </li>
      ))}
    </ul>
  );
}

function closed({ has_credentials: isOpen, pause }: AppRoute): string {
  if (!isOpen) return ': no credentials, so these devices get nothing';
  return pause === null ? '' : `: paused, because ${pause.reason}`;
}
