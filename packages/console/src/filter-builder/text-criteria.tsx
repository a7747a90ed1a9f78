/** A list of texts; a device must have one of them. Enter adds one, from those that the app has or as it is typed; pasted lines become one text each. */
import { useId, useState } from 'preact/hooks';
import { RemoveButton } from './buttons.tsx';
import { Combobox } from './combobox.tsx';
import { type CriteriaProps, FaultLines } from './faults.tsx';
import { useValues } from './suggestions.ts';
import { criterionWords } from './words.ts';

/** More criteria would not help a reader and would make the page slow: a filter may have a thousand. */
const SHOWN_MAX = 40;

/** @param props.onDone called for Enter in the empty field */
export function TextCriteria({ name, criteria, faults, onChange, onDone }: CriteriaProps & { onDone: () => void }) {
  const [text, setText] = useState('');
  const [hasFocus, setFocus] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const id = useId();
  const options = useValues(name, hasFocus ? text : undefined).filter(({ key }) => !criteria.includes(key));
  const add = (texts: readonly string[]): void => {
    const added = texts.filter((one) => one !== '' && !criteria.includes(one));
    if (added.length > 0) onChange([...criteria, ...new Set(added)]);
    setText('');
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault();
      if (text === '') onDone();
      else add([text]);
    } else if (event.key === 'Backspace' && text === '' && criteria.length > 0) {
      onChange(criteria.slice(0, -1));
    }
  };
  const onPaste = (event: ClipboardEvent): void => {
    const lines = (event.clipboardData?.getData('text') ?? '').split(/\r?\n/);
    if (lines.length < 2) return;
    event.preventDefault();
    add(lines.map((line) => line.trim()));
  };
  const shown = isWhole ? criteria : criteria.slice(0, SHOWN_MAX);
  return (
    <div class="filter-texts">
      <label for={id}>One of</label>
      <ul>
        {shown.map((criterion, index) => (
          <li key={index} class="filter-chip">
            <bdi>{criterionWords(name, criterion)}</bdi>
            <RemoveButton
              what={criterionWords(name, criterion)}
              onClick={() => onChange(criteria.toSpliced(index, 1))}
            />
          </li>
        ))}
        {criteria.length > shown.length && (
          <li>
            <button type="button" class="quiet" onClick={() => setWhole(true)}>
              and {criteria.length - shown.length} more
            </button>
          </li>
        )}
        <li class="filter-text-new">
          <Combobox
            id={id}
            value={text}
            options={options}
            placeholder={criteria.length === 0 ? 'A value, then Enter' : 'Or …'}
            onText={setText}
            onChoose={({ key }) => add([key])}
            onKey={onKey}
            onPaste={onPaste}
            onFocus={() => setFocus(true)}
            onBlur={() => {
              setFocus(false);
              add([text]);
            }}
          />
        </li>
      </ul>
      <FaultLines faults={faults} />
    </div>
  );
}
