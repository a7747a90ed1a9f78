/** The frequency caps of the app: how many notifications of a group one person gets within a period, at most. */
import { useState } from 'preact/hooks';
import { type ApiCall, call } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { app, may } from '../../frame/session.ts';
import { ActionButton } from '../../kit/action.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { useResource } from '../../kit/resource.ts';
import { Empty, Waiting } from '../../kit/states.tsx';
import { Table, TwoLines } from '../../kit/table.tsx';
import { FrequencyCapForm, periodText } from './frequency-cap-form.tsx';
import { SettingsPage } from './page.tsx';
import type { FrequencyCap, FrequencyCaps } from '../../replies.ts';

const path = '/v6/app/frequency-caps';
const list: ApiCall = { method: 'GET', path };

function replaceWith(caps: readonly FrequencyCap[]): ApiCall {
  return { method: 'PUT', path, body: { frequency_caps: caps } };
}

export function FrequencyCapsTab() {
  const { state, reload } = useResource(async (signal) => call<FrequencyCaps>(list, signal), [app.value?.id]);
  /** The cap in the form: an index, or -1 for a new one. */
  const [edited, setEdited] = useState<number | undefined>(undefined);
  const { data } = state.value;
  const caps = data?.frequency_caps ?? [];
  const others = caps.filter((_, index) => index !== edited);
  const onDone = (text: string): void => {
    setEdited(undefined);
    announce(text);
    reload();
  };
  return (
    <SettingsPage
      title="Frequency caps"
      text={
        <>
          Limit how many notifications of a group reach one person within a period. A notification says in{' '}
          <code>group</code> what it belongs to; without a group, it always passes.
        </>
      }
      actions={
        <button type="button" class="primary" disabled={!may('admin')} onClick={() => setEdited(-1)}>
          New cap
        </button>
      }>
      <Curl call={list} />
      <Waiting of={state.value} retry={reload} what="Reading the frequency caps" />
      {data !== undefined && caps.length === 0 && (
        <Empty title="No frequency cap yet">
          <p>Every notification reaches its whole audience, however many there are on a day.</p>
        </Empty>
      )}
      {caps.length > 0 && (
        <div class="table-frame">
          <Table
            label="Frequency caps"
            rows={caps}
            keyOf={({ group }: FrequencyCap) => group}
            columns={[
              {
                title: 'Group',
                cell: (cap: FrequencyCap) => <TwoLines name={cap.group} text={`At most ${limitsText(cap)}`} />,
              },
              {
                title: 'Actions',
                align: 'end' as const,
                cell: (cap: FrequencyCap) => (
                  <span class="buttons">
                    <button type="button" disabled={!may('admin')} onClick={() => setEdited(caps.indexOf(cap))}>
                      Edit
                    </button>
                    <ActionButton
                      label="Remove"
                      kind="danger"
                      needs="admin"
                      call={replaceWith(caps.filter((each) => each !== cap))}
                      onDone={() => onDone('The cap is removed.')}
                      confirm={{
                        title: 'Remove this cap?',
                        text: (
                          <p>
                            Notifications of{' '}
                            <bdi>
                              <strong>{cap.group}</strong>
                            </bdi>{' '}
                            that begin from now on reach their whole audience.
                          </p>
                        ),
                      }}
                    />
                  </span>
                ),
              },
            ]}
          />
        </div>
      )}
      {edited !== undefined && (
        <FrequencyCapForm
          cap={caps[edited]}
          callFor={(cap: FrequencyCap) => replaceWith(edited === -1 ? [...caps, cap] : caps.with(edited, cap))}
          takenGroups={others.map(({ group }) => group)}
          onDone={() => onDone('The cap is saved.')}
          onClose={() => setEdited(undefined)}
        />
      )}
    </SettingsPage>
  );
}

/** '2 in 1 day and 5 in 7 days, per user' */
function limitsText({ by, limits }: FrequencyCap): string {
  const texts = limits.map((limit) => `${limit.at_most} in ${periodText(limit.per)}`);
  return `${texts.join(' and ')}, per ${by}`;
}
