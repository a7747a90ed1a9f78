/** Why a device is in an audience or not: a tree of its filters and criteria, with the values of the device. */
import { useEffect, useState } from 'preact/hooks';
import { type ApiCall, call } from '../../frame/api.ts';
import { setQuery } from '../../frame/router.ts';
import { appAddress } from '../../frame/session.ts';
import { criterionWords, subjectWords } from '../../filter-builder/words.ts';
import { Badge } from '../../kit/badge.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { TextField } from '../../kit/form.tsx';
import type { Content } from '../../kit/content.ts';
import { Icon } from '../../kit/icon.tsx';
import { useResource } from '../../kit/resource.ts';
import { Failure, Loading } from '../../kit/states.tsx';
import { distanceWords, valueWords } from './device-value.ts';
import type { ExplainedFilter, Explanation } from '../../replies.ts';

interface WhyProps {
  /** The device in the address; '' for none. */
  device: string;
  /** Explains a device. Undefined while there are no filters. */
  callFor: ((device: string) => ApiCall) | undefined;
}

export function Why({ device, callFor }: WhyProps): Content {
  const [written, setWritten] = useState(device);
  useEffect(() => setWritten(device), [device]);
  const submit = (event: Event): void => {
    event.preventDefault();
    setQuery({ device: written.trim() }, 'push');
  };
  return (
    <section class="card audience-why" aria-labelledby="audience-why">
      <h2 id="audience-why">Why is a device in or out?</h2>
      <form class="toolbar" onSubmit={submit}>
        <TextField label="Id of the device" code value={written} onInput={setWritten} />
        <button disabled={written.trim() === ''}>Explain</button>
      </form>
      {device !== '' && callFor !== undefined && <Explanation key={device} device={device} request={callFor(device)} />}
    </section>
  );
}

function Explanation({ device, request }: { device: string; request: ApiCall }): Content {
  const { state, reload } = useResource((signal) => call<Explanation>(request, signal), [JSON.stringify(request)]);
  const { data, error } = state.value;
  if (error !== undefined) return <Failure error={error} retry={reload} />;
  if (data === undefined) return <Loading what="Explaining" />;
  const failing = data.filters.filter(({ matches }) => !matches).length;
  return (
    <div class="audience-explanation">
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
      {data.filters.length > 0 && (
        <>
          <p class="muted">All of these must hold:</p>
          <ul class="why-tree">
            {data.filters.map((filter, index) => (
              <FilterBranch key={index} filter={filter} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function FilterBranch({ filter }: { filter: ExplainedFilter }): Content {
  const { name, matches, not_filter: not, value, criteria, criteria_count: all } = filter;
  const words = valueWords(name, value);
  const isOne = all === 1;
  return (
    <li>
      <p class="why-line">
        <Mark isMet={matches} />
        <span>
          <strong>
            <bdi>{subjectWords(name)}</bdi>
          </strong>{' '}
          {not ? (isOne ? 'must not match' : 'must match none of') : isOne ? 'must match' : 'must match one of'}
        </span>
      </p>
      <p class="why-value">
        {words === undefined ? (
          'The device has no value here.'
        ) : (
          <>
            The device has <bdi class="why-has">{words}</bdi>
          </>
        )}
      </p>
      <ul class="why-tree">
        {criteria.map(({ criterion, matches: isMet }, index) => {
          const far = distanceWords(criterion, value);
          return (
            <li key={index} class="why-line">
              <Mark isMet={isMet} isNegated={not} />
              <span>
                <bdi>{criterionWords(name, criterion)}</bdi>
                {far !== undefined && (
                  <>
                    {' '}
                    <span class="muted">({far})</span>
                  </>
                )}
              </span>
            </li>
          );
        })}
        {all > criteria.length && <li class="muted">and {all - criteria.length} more, which are not shown</li>}
      </ul>
    </li>
  );
}

/** @param isNegated whether the filter is negated: then a device that meets the criterion is out of the audience */
function Mark({ isMet, isNegated = false }: { isMet: boolean; isNegated?: boolean }): Content {
  const tone = isMet === isNegated ? 'why-no' : 'why-yes';
  return (
    <span class={`why-mark ${tone}`}>
      <Icon name={isMet ? 'check' : 'cross'} />
      <span class="visually-hidden">{isMet ? 'yes:' : 'no:'}</span>
    </span>
  );
}
