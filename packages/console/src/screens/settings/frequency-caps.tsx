/** The frequency caps of the app: how many notifications of a group one person gets within a period, at most. */
import { useState } from 'preact/hooks';
import type { ApiCall } from '../../frame/api.ts';
import { may } from '../../frame/session.ts';
import { ActionButton } from '../../kit/action.tsx';
import { Empty, useReply } from '../../kit/states.tsx';
import { List, TwoLines } from '../../kit/table.tsx';
import type { FrequencyCap, FrequencyCaps } from '../../replies.ts';
import { FrequencyCapForm, periodText } from './frequency-cap-form.tsx';
import { SettingsPage } from './page.tsx';

const path = '/v6/app/frequency-caps';

function replaceWith(caps: readonly FrequencyCap[]): ApiCall {
  return { method: 'PUT', path, body: { frequency_caps: caps } };
}

export function FrequencyCapsTab() {
  const read = useReply<FrequencyCaps>({ method: 'GET', path });
  /** The cap in the form: an index, or -1 for a new one. */
  const [edited, setEdited] = useState<number | undefined>(undefined);
  const caps = read.data?.frequency_caps ?? [];
  const columns = [
    {
      title: 'Group',
      cell: ({ cap }: { cap: FrequencyCap }) => <TwoLines name={cap.group} text={`At most ${limitsText(cap)}`} />,
    },
    {
      title: 'Actions',
      align: 'end' as const,
      cell: ({ cap }: { cap: FrequencyCap }) => (
        <span class="buttons">
          <button type="button" disabled={!may('admin')} onClick={() => setEdited(caps.indexOf(cap))}>
            Edit
          </button>
          <ActionButton
            label="Remove"
            kind="danger"
            needs="admin"
            call={replaceWith(caps.filter((each) => each !== cap))}
            done="The cap is removed."
            onDone={read.reload}
            confirm={{
              title: 'Remove this cap?',
              text: (
                <p>
                  Notifications of <bdi>{cap.group}</bdi> that begin from now on reach their whole audience.
                </p>
              ),
            }}
          />
        </span>
      ),
    },
  ];
  return (
    <SettingsPage
      title="Frequency caps"
      text={
        <>
          Limit how many notifications of a group reach one person within a period. A notification says in{' '}
          <code>group</code> what it belongs to; without a group, it always passes.
        </>
      }
      action={{ label: 'New cap', onClick: () => setEdited(-1) }}>
      <List of={read} label="Frequency caps" columns={columns} rows={caps.map((cap) => ({ id: cap.group, cap }))}>
        <Empty title="No frequency cap yet">
          <p>Every notification reaches its whole audience, however many there are on a day.</p>
        </Empty>
      </List>
      {edited !== undefined && (
        <FrequencyCapForm
          cap={caps[edited]}
          callFor={(cap) => replaceWith(edited === -1 ? [...caps, cap] : caps.with(edited, cap))}
          takenGroups={caps.filter((_, index) => index !== edited).map(({ group }) => group)}
          onDone={() => {
            setEdited(undefined);
            read.reload();
          }}
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
