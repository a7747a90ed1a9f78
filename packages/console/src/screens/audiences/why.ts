/** Why a device is in an audience or not: a tree of its filters and criteria, with the values of the device. */
import { useEffect, useState } from 'preact/hooks';
import { type ApiCall, call } from '../../frame/api.ts';
import { setQuery } from '../../frame/router.ts';
import { appAddress } from '../../frame/session.ts';
import { criterionWords, subjectWords } from '../../filter-builder/words.ts';
import { Badge } from '../../kit/badge.ts';
import { CurlButton } from '../../kit/curl.ts';
import { TextField } from '../../kit/form.ts';
import { html, type Content } from '../../kit/html.ts';
import { Icon } from '../../kit/icon.ts';
import { useResource } from '../../kit/resource.ts';
import { Failure, Loading } from '../../kit/states.ts';
import { distanceWords, valueWords } from './device-value.ts';
import type { Explained, ExplainedFilter } from './replies.ts';

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
  return html`<section class="card audience-why" aria-labelledby="audience-why">
    <h2 id="audience-why">Why is a device in or out?</h2>
    <form class="toolbar" onSubmit=${submit}>
      <${TextField} label="Id of the device" code value=${written} onInput=${setWritten} />
      <button disabled=${written.trim() === ''}>Explain</button>
    </form>
    ${
      device !== '' &&
      callFor !== undefined &&
      html`<${Explanation} key=${device} device=${device} request=${callFor(device)} />`
    }
  </section>`;
}

function Explanation({ device, request }: { device: string; request: ApiCall }): Content {
  const { state, reload } = useResource(
    (signal) => call<Explained>(request, signal),
    [JSON.stringify(request)],
  );
  const { data, error } = state.value;
  if (error !== undefined) return html`<${Failure} error=${error} retry=${reload} />`;
  if (data === undefined) return html`<${Loading} what="Explaining" />`;
  const failing = data.filters.filter(({ matches }) => !matches).length;
  return html`<div class="audience-explanation">
    <p class="audience-verdict">
      ${data.matches ? html`<${Badge} tone="good">in<//>` : html`<${Badge} tone="bad">out<//>`}
      <span>
        <a href=${appAddress(`devices/${encodeURIComponent(device)}`)}>This device</a>
        ${data.matches ? ' is in: every filter selects it.' : ` is out: ${failing === 1 ? 'one filter does' : `${failing} filters do`} not select it.`}
      </span>
      <${CurlButton} call=${request} />
    </p>
    ${
      data.filters.length > 0 &&
      html`<p class="muted">All of these must hold:</p>
        <ul class="why-tree">
          ${data.filters.map((filter, index) => html`<${FilterBranch} key=${index} filter=${filter} />`)}
        </ul>`
    }
  </div>`;
}

function FilterBranch({ filter }: { filter: ExplainedFilter }): Content {
  const { name, matches, not_filter: not, value, criteria, criteria_count: all } = filter;
  const words = valueWords(name, value);
  const isOne = all === 1;
  return html`<li>
    <p class="why-line">
      <${Mark} isMet=${matches} />
      <span>
        <strong><bdi>${subjectWords(name)}</bdi></strong
        >${' '}
        ${not ? (isOne ? 'must not match' : 'must match none of') : isOne ? 'must match' : 'must match one of'}
      </span>
    </p>
    <p class="why-value">
      ${words === undefined ? 'The device has no value here.' : html`The device has${' '}<bdi class="why-has">${words}</bdi>`}
    </p>
    <ul class="why-tree">
      ${criteria.map(({ criterion, matches: isMet }, index) => {
        const far = distanceWords(criterion, value);
        return html`<li key=${index} class="why-line">
          <${Mark} isMet=${isMet} isNegated=${not} />
          <span
            ><bdi>${criterionWords(name, criterion)}</bdi
            >${far !== undefined && html` <span class="muted">(${far})</span>`}</span
          >
        </li>`;
      })}
      ${all > criteria.length && html`<li class="muted">and ${all - criteria.length} more, which are not shown</li>`}
    </ul>
  </li>`;
}

/** @param isNegated whether the filter is negated: then a device that meets the criterion is out of the audience */
function Mark({ isMet, isNegated = false }: { isMet: boolean; isNegated?: boolean }): Content {
  const tone = isMet === isNegated ? 'why-no' : 'why-yes';
  return html`<span class=${`why-mark ${tone}`}>
    <${Icon} name=${isMet ? 'check' : 'cross'} /><span class="visually-hidden"
      >${isMet ? 'yes:' : 'no:'}</span
    >
  </span>`;
}
