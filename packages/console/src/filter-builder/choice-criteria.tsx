import { Checkbox } from '../kit/form.tsx';
import type { CriteriaProps } from './faults.tsx';
import { permissions } from './language.ts';

const CHOICES = {
  permission: { legend: 'Notifications are', options: permissions },
  boolean: {
    legend: 'The value is',
    options: [
      { value: true, label: 'true' },
      { value: false, label: 'false' },
    ],
  },
} as const;

/** Criteria that are chosen from a few: permissions, true and false. */
export function ChoiceCriteria({ kind, criteria, onChange }: CriteriaProps & { kind: keyof typeof CHOICES }) {
  const { legend, options } = CHOICES[kind];
  return (
    <fieldset class="in-line">
      <legend>{legend}</legend>
      {options.map(({ value, label }) => (
        <Checkbox
          key={label}
          label={label}
          checked={criteria.includes(value)}
          onChange={(isOn) => onChange([...criteria.filter((one) => one !== value), ...(isOn ? [value] : [])])}
        />
      ))}
    </fieldset>
  );
}
