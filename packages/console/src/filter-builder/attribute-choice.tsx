/** The attribute of a filter: one of the device, a custom attribute with its type and name, or an event. */
import { useId } from 'preact/hooks';
import type { Content } from '../kit/content.ts';
import { TextField } from '../kit/form.tsx';
import { attributes, type customTypes, describe, sections } from './language.ts';

const CUSTOM_LABELS: Readonly<Record<keyof typeof customTypes, string>> = {
  string: 'custom text',
  integer: 'custom whole number',
  float: 'custom number',
  date: 'custom date',
  boolean: 'custom true or false',
};

interface ChoiceProps {
  name: string;
  error: string | undefined;
  onChange: (name: string) => void;
}

export function AttributeChoice({ name, error, onChange }: ChoiceProps): Content {
  const described = describe(name);
  const id = useId();
  const chosen =
    described.family === 'custom' ? `custom.${described.type}.` : described.family === 'event' ? 'events.' : name;
  const written =
    described.family === 'custom' ? described.attribute : described.family === 'event' ? described.event : '';
  const choose = ({ currentTarget }: { currentTarget: HTMLSelectElement }): void => {
    const { value } = currentTarget;
    onChange(value.endsWith('.') ? `${value}${written}` : value);
  };
  return (
    <div class="filter-attribute">
      <div class="field">
        <label for={id}>Attribute</label>
        <select id={id} onChange={choose} aria-invalid={error !== undefined && written === ''}>
          {sections.map((section) => (
            <optgroup key={section} label={section}>
              {attributes
                .filter((attribute) => attribute.section === section)
                .map(({ name: value, label }) => (
                  <option key={value} value={value} selected={value === chosen}>
                    {label}
                  </option>
                ))}
            </optgroup>
          ))}
          <optgroup label="Custom attribute">
            {Object.entries(CUSTOM_LABELS).map(([type, label]) => (
              <option key={type} value={`custom.${type}.`} selected={chosen === `custom.${type}.`}>
                {label}
              </option>
            ))}
          </optgroup>
          <optgroup label="Event">
            <option value="events." selected={chosen === 'events.'}>
              event
            </option>
          </optgroup>
          {described.family === 'unknown' && (
            <option value={name} selected>
              {name}
            </option>
          )}
        </select>
        {error !== undefined && described.family === 'unknown' && <span class="fault">{error}</span>}
      </div>
      {described.family === 'custom' && (
        <TextField
          label="Name"
          code
          value={described.attribute}
          error={error}
          onInput={(attribute) => onChange(`custom.${described.type}.${attribute}`)}
        />
      )}
      {described.family === 'event' && (
        <TextField
          label="Name of the event"
          code
          value={described.event}
          error={error}
          hint={described.event === '' ? 'As a filter names it: purchase, or Public Api.purchase' : undefined}
          onInput={(event) => onChange(`events.${event}`)}
        />
      )}
    </div>
  );
}
