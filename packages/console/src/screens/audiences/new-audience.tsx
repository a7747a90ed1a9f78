/** The builder of a new audience, with a name to save it under. */
import { useState } from 'preact/hooks';
import { announce } from '../../frame/notices.tsx';
import { go } from '../../frame/router.ts';
import { appAddress, may } from '../../frame/session.ts';
import { areComplete, writeFilters } from '../../filter-builder/filters-text.ts';
import type { FilterJson } from '../../filter-builder/language.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import { Form, TextField } from '../../kit/form.tsx';
import type { Content } from '../../kit/content.ts';
import { Failure } from '../../kit/states.tsx';
import { useAction } from '../../kit/action.tsx';
import { AudienceEditor } from './editor.tsx';
import { useFilters } from './filters-state.ts';
import type { Audience } from '../../replies.ts';

export function NewAudience(): Content {
  const edited = useFilters(NOTHING);
  const { filters } = edited;
  return (
    <div class="stack">
      <header class="screen-head">
        <h1>New audience</h1>
        <a class="button" href={appAddress('audiences')}>
          All audiences
        </a>
      </header>
      <AudienceEditor edited={edited}>{may('sender') && <Save filters={filters} />}</AudienceEditor>
    </div>
  );
}

const NOTHING: readonly FilterJson[] = [];

function Save({ filters }: { filters: readonly FilterJson[] }): Content {
  const [name, setName] = useState('');
  const isReady = areComplete(filters);
  const create = {
    method: 'POST',
    path: '/v6/audiences',
    body: `{"audience":{"name":${JSON.stringify(name)},"filters":${writeFilters(filters)}}}`,
  } as const;
  const { run, isBusy, error } = useAction<{ audience: Audience }>({
    call: create,
    onDone: ({ audience }) => {
      announce(`The audience ${audience.name} is saved.`);
      go(appAddress(`audiences/${audience.id}`));
    },
  });
  return (
    <Form class="stack" label="Save" onSubmit={run}>
      <TextField label="Name" value={name} onInput={setName} required />
      {error !== undefined && <Failure error={error} />}
      <div class="buttons">
        <button class="primary" disabled={!isReady || name.trim() === '' || isBusy} aria-busy={isBusy}>
          Save the audience
        </button>
        {isReady && (
          <a class="button" href={appAddress('compose', { filters: writeFilters(filters) })}>
            Compose without saving
          </a>
        )}
        {isReady && <Curl call={create} />}
      </div>
    </Form>
  );
}
