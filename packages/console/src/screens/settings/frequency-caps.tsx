/** The frequency caps of the app: how many notifications of a group one person gets within a period, at most. */
import { useState } from 'preact/hooks';
import type { ApiCall } from '../../frame/api.ts';
import { ActionButton, ActionDialog } from '../../kit/action.tsx';
import { DialogButton } from '../../kit/dialog.tsx';
import { Select, TextField } from '../../kit/form.tsx';
import { Empty, useReply } from '../../kit/states.tsx';
import { type Column, List, TwoLines } from '../../kit/table.tsx';
import type { FrequencyCap, FrequencyCaps, FrequencyLimit } from '../../replies.ts';
import { SettingsPage } from './page.tsx';

const path = '/v6/app/frequency-caps';
const LIMITS_MAX = 5;
const NEW_CAP: FrequencyCap = { group: '', by: 'user', limits: [{ at_most: 2, per: 'P1D' }] };

const periods: readonly { value: string; label: string }[] = [
  { value: 'PT1H', label: '1 hour' },
  { value: 'PT6H', label: '6 hours' },
  { value: 'PT12H', label: '12 hours' },
  { value: 'P1D', label: '1 day' },
  { value: 'P2D', label: '2 days' },
  { value: 'P7D', label: '7 days' },
  { value: 'P14D', label: '14 days' },
  { value: 'P30D', label: '30 days' },
];

function replaceWith(caps: readonly FrequencyCap[]): ApiCall {
  return { method: 'PUT', path, body: { frequency_caps: caps } };
}

export function FrequencyCapsTab() {
  const read = useReply<FrequencyCaps>({ method: 'GET', path });
  const caps = read.data?.frequency_caps ?? [];
  const form = (index: number) => (close: () => void) => (
    <FrequencyCapForm caps={caps} index={index} onDone={read.reload} onClose={close} />
  );
  const columns: readonly Column<{ id: string; cap: FrequencyCap; index: number }>[] = [
    { title: 'Group', cell: ({ id, cap }) => <TwoLines name={id} text={`At most ${limitsText(cap)}`} /> },
    {
      title: 'Actions',
      align: 'end',
      cell: ({ id, index }) => (
        <span class="buttons">
          <DialogButton label="Edit" needs="admin" dialog={form(index)} />
          <ActionButton
            label="Remove"
            kind="danger"
            needs="admin"
            call={replaceWith(caps.toSpliced(index, 1))}
            done="The cap is removed."
            onDone={read.reload}
            confirm={{
              title: 'Remove this cap?',
              text: (
                <p>
                  Notifications of <bdi>{id}</bdi> that begin from now on reach their whole audience.
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
      actions={<DialogButton label="New cap" kind="primary" needs="admin" dialog={form(caps.length)} />}>
      <List
        of={read}
        label="Frequency caps"
        columns={columns}
        rows={caps.map((cap, index) => ({ id: cap.group, cap, index }))}>
        <Empty title="No frequency cap yet">
          <p>Every notification reaches its whole audience, however many there are on a day.</p>
        </Empty>
      </List>
    </SettingsPage>
  );
}

/** '2 in 1 day and 5 in 7 days, per user' */
function limitsText({ by, limits }: FrequencyCap): string {
  const texts = limits.map((limit) => `${limit.at_most} in ${periodText(limit.per)}`);
  return `${texts.join(' and ')}, per ${by}`;
}

/** '1 day'; a period that the form does not offer stays ISO 8601 */
function periodText(per: string): string {
  return periods.find(({ value }) => value === per)?.label ?? per;
}

/** @param props.index of the cap that is edited; behind the last one: a new one */
function FrequencyCapForm(props: {
  caps: readonly FrequencyCap[];
  index: number;
  onDone: () => void;
  onClose: () => void;
}) {
  const { caps, index, onDone, onClose } = props;
  const [{ group, by, limits }, setCap] = useState(caps[index] ?? NEW_CAP);
  const edited = { group: group.trim(), by, limits };
  const isTaken = caps.toSpliced(index, 1).some((other) => other.group === edited.group);
  return (
    <ActionDialog
      title={index === caps.length ? 'New frequency cap' : 'Frequency cap'}
      label="Save"
      call={replaceWith(caps.toSpliced(index, 1, edited))}
      isComplete={edited.group !== '' && !isTaken}
      done="The cap is saved."
      onDone={onDone}
      onClose={onClose}>
      <TextField
        label="Group"
        hint="The name that notifications have in group, such as marketing."
        value={group}
        onInput={(text) => setCap({ ...edited, group: text })}
        error={isTaken ? 'Another cap has this group.' : undefined}
        autofocus
      />
      <Select
        label="Counted per"
        value={by}
        options={[
          { value: 'user', label: 'user: all devices of a person together' },
          { value: 'device', label: 'device' },
        ]}
        onChange={(value) => setCap({ ...edited, by: value })}
      />
      {limits.map((limit, at) => (
        <LimitFields
          key={at}
          limit={limit}
          onChange={(changed) => setCap({ ...edited, limits: limits.with(at, changed) })}
          onRemove={limits.length > 1 ? () => setCap({ ...edited, limits: limits.toSpliced(at, 1) }) : undefined}
        />
      ))}
      <button
        type="button"
        disabled={limits.length >= LIMITS_MAX}
        onClick={() => setCap({ ...edited, limits: [...limits, { at_most: 5, per: 'P7D' }] })}>
        And another limit
      </button>
    </ActionDialog>
  );
}

function LimitFields(props: {
  limit: FrequencyLimit;
  onChange: (limit: FrequencyLimit) => void;
  onRemove: (() => void) | undefined;
}) {
  const { limit, onChange, onRemove } = props;
  return (
    <div class="toolbar">
      <TextField
        label="At most"
        type="number"
        value={String(limit.at_most)}
        onInput={(text) => onChange({ ...limit, at_most: Number(text) })}
      />
      <Select label="In" value={limit.per} options={periods} onChange={(per) => onChange({ ...limit, per })} />
      {onRemove !== undefined && (
        <button type="button" class="plain" onClick={onRemove}>
          Remove limit
        </button>
      )}
    </div>
  );
}
