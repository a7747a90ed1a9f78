/** Criteria that are chosen from a few: permissions, true and false. */
import { useId } from 'preact/hooks';
import type { Content } from '../kit/content.ts';
import { permissions } from './language.ts';
import { permissionLabels } from './words.ts';

interface ChoiceProps {
  criteria: readonly unknown[];
  onChange: (criteria: readonly unknown[]) => void;
}

export function PermissionCriteria({ criteria, onChange }: ChoiceProps): Content {
  const others = criteria.filter((one) => !permissions.some((known) => known === one));
  const toggle = (permission: string, isOn: boolean): void => {
    const kept = permissions.filter((one) => (one === permission ? isOn : criteria.includes(one)));
    onChange([...kept, ...others]);
  };
  return (
    <fieldset class="filter-choices in-line">
      <legend>Notifications are</legend>
      {permissions.map((permission) => (
        <label class="check" key={permission}>
          <input
            type="checkbox"
            checked={criteria.includes(permission)}
            onChange={({ currentTarget }) => toggle(permission, currentTarget.checked)}
          />
          <span>{permissionLabels[permission]}</span>
        </label>
      ))}
    </fieldset>
  );
}

const BOOLEANS = [
  { label: 'true', criteria: [true] },
  { label: 'false', criteria: [false] },
  { label: 'either, but set', criteria: [true, false] },
] as const;

export function BooleanCriteria({ criteria, onChange }: ChoiceProps): Content {
  const name = useId();
  const isChosen = (option: readonly boolean[]): boolean =>
    option.every((one) => criteria.includes(one)) && criteria.every((one) => option.some((known) => known === one));
  return (
    <fieldset class="filter-choices in-line">
      <legend>The value is</legend>
      {BOOLEANS.map((option) => (
        <label class="check" key={option.label}>
          <input
            type="radio"
            name={name}
            checked={isChosen(option.criteria)}
            onChange={() => onChange(option.criteria)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
