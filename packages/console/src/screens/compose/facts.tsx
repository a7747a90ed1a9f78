/** What will happen, in words, for the last page: recipients, moment, languages, variants, routes, sender. */
import { readFilters } from '../../filter-builder/filters-text.ts';
import { isObject } from '../../filter-builder/language.ts';
import { filtersWords } from '../../filter-builder/words.ts';
import { call } from '../../frame/api.ts';
import { routesOfApp } from '../../frame/routes-of-app.ts';
import { app, appAddress, session } from '../../frame/session.ts';
import type { Content } from '../../kit/content.ts';
import { JsonView } from '../../kit/developer/json-view.tsx';
import { formatAgo, formatShare, formatTime, languageName, listed, plural, zoneName } from '../../kit/format.ts';
import { useResource } from '../../kit/states.tsx';
import type { AppRoute } from '../../replies.ts';
import { languagesOf } from './draft/content-sections.ts';
import type { JsonObject } from './draft/members.ts';
import { DEVELOPMENT, targetOf } from './draft/target.ts';
import { isLater, utcText } from './draft/times.ts';
import { sharesOf, variantName, variantsOf } from './draft/variants.ts';
import { LocalesOfAudience } from './what/locales.tsx';

interface FactsProps {
  notification: JsonObject;
  /** How many devices it is for; undefined while they are counted. */
  devices: number | undefined;
}

export function FactsOf({ notification, devices }: FactsProps) {
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
  return (
    <dl class="facts">{facts.map(([fact, content]) => content !== false && [<dt>{fact}</dt>, <dd>{content}</dd>])}</dl>
  );
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
      return (
        <>
          The device <a href={appAddress(`devices/${encodeURIComponent(target.id)}`)}>{target.id}</a>
        </>
      );
    case 'user':
      return (
        <>
          The devices of the user <bdi>{target.id}</bdi>
        </>
      );
    case 'none':
      return 'Nobody yet';
    case 'other':
      return <JsonView value={to} />;
  }
}

function AudienceWords({ id }: { id: string }) {
  const path = `/v6/audiences/${encodeURIComponent(id)}`;
  const { state } = useResource(
    (signal) => call<{ audience: { name: string } }>({ method: 'GET', path }, signal),
    [id],
  );
  return (
    <>
      The audience{' '}
      <a href={appAddress(`audiences/${encodeURIComponent(id)}`)}>
        <bdi>{state.value.data?.audience.name ?? id}</bdi>
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
