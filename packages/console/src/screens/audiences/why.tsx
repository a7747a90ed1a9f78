/** Why a device is in an audience or not (`?device=<id>`): a tree of its filters and criteria, with the values of the device. */
import { criterionWords, subjectWords } from '../../filter-builder/words.ts';
import { type ApiCall, call } from '../../frame/api.ts';
import { place, setQuery } from '../../frame/router.ts';
import { appAddress } from '../../frame/session.ts';
import { Badge } from '../../kit/badge.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { SubmittedField } from '../../kit/form.tsx';
import { Icon } from '../../kit/icon.tsx';
import { useResource } from '../../kit/resource.ts';
import { Waiting } from '../../kit/states.tsx';
import type { ExplainedFilter, Explanation } from '../../replies.ts';
import { distanceWords, valueWords } from './device-value.ts';

/** @param props.callFor the call that explains a device */
export function Why({ callFor }: { callFor: (device: string) => ApiCall }) {
  const device = place.value.query.get('device') ?? '';
  return (
    <section class="card audience-why" aria-labelledby="audience-why">
      <h2 id="audience-why">Why is a device in or out?</h2>
      <SubmittedField
        label="Id of the device"
        code
        value={device}
        onSubmit={(id) => setQuery({ device: id }, 'push')}
      />
      {device !== '' && <Explained key={device} device={device} request={callFor(device)} />}
    </section>
  );
}

function Explained({ device, request }: { device: string; request: ApiCall }) {
  const { state, reload } = useResource((signal) => call<Explanation>(request, signal), [JSON.stringify(request)]);
  const { data, error } = state.value;
  if (data === undefined || error !== undefined) return <Waiting of={state.value} retry={reload} what="Explaining" />;
  const failing = data.filters.filter(({ matches }) => !matches).length;
  return (
    <>
      <p class="audience-verdict">
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
          <strong>
            <bdi>{subjectWords(name)}</bdi>
          </strong>{' '}
          {must[all === 1 ? 0 : 1]}
        </span>
      </p>
      <p class="why-value">
        The device has {words === undefined ? 'no value here.' : <bdi class="why-has">{words}</bdi>}
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
    <span class={`why-mark ${isMet === isNegated ? 'why-no' : 'why-yes'}`}>
      <Icon name={isMet ? 'check' : 'cross'} />
      <span class="visually-hidden">{isMet ? 'yes:' : 'no:'}</span>
    </span>
  );
}
