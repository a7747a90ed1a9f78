import { Checkbox } from '../../kit/form.tsx';

/** Checkboxes of which several may be on. `onChange` gets the chosen values in the order of `all`. */
export function Choices<Value extends string>(props: {
  legend: string;
  all: readonly { value: Value; label: string }[];
  chosen: readonly Value[];
  onChange: (chosen: readonly Value[]) => void;
}) {
  const { legend, all, chosen, onChange } = props;
  const change = (changed: Value, isOn: boolean): void =>
    onChange(all.flatMap(({ value }) => ((value === changed ? isOn : chosen.includes(value)) ? [value] : [])));
  return (
    <fieldset class="stack close">
      <legend>{legend}</legend>
      {all.map(({ value, label }) => (
        <Checkbox key={value} label={label} checked={chosen.includes(value)} onChange={(isOn) => change(value, isOn)} />
      ))}
    </fieldset>
  );
}
