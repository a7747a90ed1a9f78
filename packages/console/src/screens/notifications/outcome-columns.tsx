/** The number of a notification's devices, and the outcomes of its pushes, for lists. */
import { formatNumber } from '../../kit/format.ts';
import { OutcomeBar, type OutcomeCounts } from '../../kit/outcome-bar.tsx';
import type { Column } from '../../kit/table.tsx';

interface Counted extends OutcomeCounts {
  state: string;
  devices: number;
}

export const outcomeColumns: readonly Column<Counted>[] = [
  {
    title: 'Devices',
    align: 'end',
    cell: (row) => (hasBegun(row) ? formatNumber(row.devices) : '–'),
  },
  {
    title: 'Outcomes',
    cell: (row) => (hasBegun(row) && row.state !== 'validated' ? <OutcomeBar counts={row} /> : '–'),
  },
];

/** Whether its devices have been counted: not if it is scheduled, or was canceled before it began. */
function hasBegun({ state, devices }: Counted): boolean {
  return state !== 'scheduled' && (state !== 'canceled' || devices > 0);
}
