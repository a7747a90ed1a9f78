import { TextField } from '../../../kit/form.tsx';
import type { Content } from '../../../kit/content.ts';
import { fieldText, numberFrom } from '../draft/members.ts';

/** A share, 0 to 1 in the API, as percent. Other text stays text, so that the server says what is wrong with it. */
export function PercentField(props: {
  label: string;
  share: unknown;
  hint?: Content;
  error: string | undefined;
  onInput: (share: unknown) => void;
}): Content {
  const { label, share, hint, error, onInput } = props;
  return (
    <TextField
      label={label}
      type="number"
      value={typeof share === 'number' ? String(rounded(share * 100)) : fieldText(share)}
      hint={hint}
      error={error}
      onInput={(text) => {
        const percent = numberFrom(text);
        onInput(typeof percent === 'number' ? rounded(percent / 100) : percent);
      }}
    />
  );
}

/** Drops the last digits: 0.07 · 100 is 7.000000000000001. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}
