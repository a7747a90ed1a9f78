/** Devices of an audience: some of them, and why one is in it or out (`?device=<id>`): a tree of filters and criteria, with its values. */
import { useState } from 'preact/hooks';
import { describe, type FilterJson, isObject, numberText, shapeOf, typeWords } from '../../filter-builder/language.ts';
import { distanceBetween, distanceIn } from '../../filter-builder/map/mercator.ts';
import { criterionWords, subjectWords } from '../../filter-builder/words.ts';
import type { ApiCall } from '../../frame/api.ts';
import { place, setQuery } from '../../frame/router.ts';
import { appAddress } from '../../frame/session.ts';
import { ActionButton } from '../../kit/action.tsx';
import { Badge } from '../../kit/badge.tsx';
import { Card } from '../../kit/card.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { SubmittedField } from '../../kit/form.tsx';
import { formatAgo, formatTime, plural, zoneName } from '../../kit/format.ts';
import { Icon } from '../../kit/icon.tsx';
import { Empty, useReply, Waiting } from '../../kit/states.tsx';
import { type Column, Table, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { Device, DeviceSample, ExplainedFilter, Explanation } from '../../replies.ts';
import { nameOf } from '../devices/words.ts';
import { bodyOf } from './counts.ts';

/** Some of the devices, read only when the reader asks: if few of many devices match, it takes as long as a count. */
export function Sample({ filters }: { filters: readonly FilterJson[] }) {
  const [devices, setDevices] = useState<readonly Device[] | undefined>(undefined);
  const call: ApiCall = { method: 'POST', path: '/v6/audiences/sample', body: bodyOf(filters) };
  const show = (sample: DeviceSample): void => setDevices(sample.devices);
  return (
    <Card title="Some of its devices">
      {devices === undefined ? (
        <ActionButton label="Show 10 devices" call={call} onDone={show} />
      ) : (
        <Curl call={call} />
      )}
      {devices?.length === 0 && <Empty title="No device matches" icon="device" />}
      {devices !== undefined && devices.length > 0 && (
        <Table
          label="Some of its devices"
          columns={columns}
          rows={devices}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => appAddress(`devices/${id}`)}
        />
      )}
    </Card>
  );
}

const columns: readonly Column<Device>[] = [
  { title: 'Device', cell: (one) => <TwoLines name={nameOf(one)} text={one.user_id ?? one.id.slice(0, 8)} /> },
  { title: 'Platform', cell: ({ platform }) => platform },
  { title: 'App', cell: ({ app_version: version }) => <bdi>{version ?? '–'}</bdi> },
  { title: 'Locale', cell: ({ locale }) => <bdi>{locale ?? '–'}</bdi> },
  { title: 'Token', cell: ({ push_token: token }) => (token === null ? 'none' : 'yes') },
  { title: 'Last registered', cell: ({ registered_at: at }) => <TimeAgo at={at} /> },
  {
    title: 'Why',
    cell: ({ id }) => (
      <button
        type="button"
        class="quiet"
        aria-label={`Why is device ${id} in this audience?`}
        onClick={() => setQuery({ device: id }, 'push')}>
        Why?
      </button>
    ),
  },
];

export function Why({ callFor }: { callFor: (device: string) => ApiCall }) {
  const device = place.value.query.get('device') ?? '';
  return (
    <Card title="Why is a device in or out?">
      <div class="form">
        <SubmittedField
          label="Id of the device"
          code
          value={device}
          onSubmit={(id) => setQuery({ device: id }, 'push')}
        />
      </div>
      {device !== '' && <Explained key={device} device={device} request={callFor(device)} />}
    </Card>
  );
}

function Explained({ device, request }: { device: string; request: ApiCall }) {
  const read = useReply<Explanation>(request);
  const { data, error } = read;
  if (data === undefined || error !== undefined) return <Waiting of={read} what="Explaining" />;
  const failing = data.filters.filter(({ matches }) => !matches).length;
  return (
    <>
      <p class="in-line">
        {data.matches ? <Badge tone="good">in</Badge> : <Badge tone="bad">out</Badge>}
        <span>
          <a href={appAddress(`devices/${encodeURIComponent(device)}`)}>This device</a>
          {data.matches
            ? ' is in: every filter selects it.'
            : ` is out: ${failing === 1 ? 'one filter does' : `${failing} filters do`} not select it.`}
        </span>
        <Curl call={request} />
      </p>
      {data.filters.length > 0 && <p class="muted">All of these must hold:</p>}
      <ul class="why-tree">
        {data.filters.map((filter, index) => (
          <FilterBranch key={index} filter={filter} />
        ))}
      </ul>
    </>
  );
}

function FilterBranch({ filter }: { filter: ExplainedFilter }) {
  const { name, matches, not_filter: not, value, criteria, criteria_count: all } = filter;
  const words = valueWords(name, value);
  const must = not ? ['must not match', 'must match none of'] : ['must match', 'must match one of'];
  return (
    <li>
      <p class="why-line">
        <Mark isMet={matches} />
        <span>
          <strong dir="auto">{subjectWords(name)}</strong> {must[all === 1 ? 0 : 1]}
        </span>
      </p>
      <p class="why-value muted">
        The device has {words === undefined ? 'no value here.' : <strong dir="auto">{words}</strong>}
      </p>
      <ul class="why-tree">
        {criteria.map(({ criterion, matches: isMet }, index) => (
          <li key={index} class="why-line">
            {/* A device that meets a criterion of a negated filter is out of the audience. */}
            <Mark isMet={isMet} isNegated={not} />
            <span>
              <bdi>{criterionWords(name, criterion)}</bdi> <span class="muted">{distanceWords(criterion, value)}</span>
            </span>
          </li>
        ))}
        {all > criteria.length && <li class="muted">and {all - criteria.length} more, which are not shown</li>}
      </ul>
    </li>
  );
}

function Mark({ isMet, isNegated = false }: { isMet: boolean; isNegated?: boolean }) {
  return (
    <span class={`toned ${isMet === isNegated ? 'bad' : 'good'}`}>
      <Icon name={isMet ? 'check' : 'cross'} />
      <span class="visually-hidden">{isMet ? 'yes:' : 'no:'}</span>
    </span>
  );
}

/** @param name the name of the filter; @returns undefined if the device has nothing */
function valueWords(name: string, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  const { kind } = describe(name);
  const [, type] = /^custom\.([a-z]+)\./.exec(name) ?? [];
  if (isObject(value)) {
    const { count, last_happened_at: last, type: stored, value: held, latitude, longitude } = value;
    if (kind === 'place') return `${plainWords(latitude)}, ${plainWords(longitude)}`;
    if (kind === 'event') {
      const times = typeof count === 'number' ? plural(count, 'time') : `${plainWords(count)} times`;
      return typeof last === 'string' ? `${times}, last ${timeWords(last)}` : times;
    }
    // An attribute of another type than the filter's never matches: the type is shown if it differs.
    const words = [held].flat().map(plainWords).join(', ');
    return stored === type
      ? words
      : `${words}, which is ${typeWords(plainWords(stored))} and not ${typeWords(type ?? '')}`;
  }
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(plainWords).join(', ');
  if (kind === 'date' && typeof value === 'string') return timeWords(value);
  return kind === 'permission' ? criterionWords(name, value) : plainWords(value);
}

/** How far the device is from the centre of a circle: '(412 km away)'; undefined for other criteria. */
function distanceWords(criterion: unknown, value: unknown): string | undefined {
  const shape = shapeOf(criterion);
  const held = shapeOf({ polygon: [value] });
  if (shape?.kind !== 'circle' || held?.kind !== 'polygon') return undefined;
  const [point] = held.points;
  return point && `(${distanceIn(shape.unit, distanceBetween(shape.center, point))} ${shape.unit} away)`;
}

function timeWords(time: string): string {
  return `${formatTime(time)} ${zoneName(time)} (${formatAgo(time)})`;
}

function plainWords(value: unknown): string {
  if (typeof value === 'string' && value !== '' && value === value.trim()) return value;
  return numberText(value) ?? JSON.stringify(value);
}
