import { useId, useState } from 'preact/hooks';
import { announce } from '../../frame/notices.tsx';
import type { Content } from '../../kit/content.ts';
import { useDebounced, useResource } from '../../kit/resource.ts';

export interface Named {
  id: string;
  name: string;
}

const TYPING_MS = 200;
const NEVER_ABORTED = new AbortController().signal;

/**
 * A field that takes the name of a thing, or its id, and keeps the id. While somebody types, it offers what has the text in its name.
 * @param props.value the id; '' for none
 * @param props.find what has the text in its name or is the id; a text of '' is what is offered first
 */
export function NameField(props: {
  label: string;
  placeholder: string;
  value: string;
  find: (text: string, signal: AbortSignal) => Promise<readonly Named[]>;
  onPick: (id: string) => void;
}): Content {
  const { label, placeholder, value, find, onPick } = props;
  const id = useId();
  const [written, setWritten] = useState<string | undefined>(undefined);
  const [chosen, setChosen] = useState<Named | undefined>(undefined);
  const text = useDebounced(written ?? value, TYPING_MS);
  const { state } = useResource(async (signal) => find(text, signal), [text]);
  const offered = state.value.data ?? [];
  const own = [chosen, ...offered].find((one) => one?.id === value);
  const pick = async (typed: string): Promise<void> => {
    const found = typed === '' ? [] : await find(typed, NEVER_ABORTED);
    const lower = typed.toLowerCase();
    const exact = found.find((one) => one.id === typed || one.name.toLowerCase() === lower);
    const [first, ...others] = found;
    const picked = exact ?? (others.length === 0 ? first : undefined);
    if (typed !== '' && picked === undefined) {
      announce(found.length === 0 ? `Nothing is called ${typed}.` : 'Several have this in their name: choose one.', {
        isBad: true,
      });
      return;
    }
    setWritten(undefined);
    setChosen(picked);
    onPick(picked?.id ?? '');
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        list={`${id}-names`}
        value={written ?? own?.name ?? value}
        placeholder={placeholder}
        autocomplete="off"
        dir="auto"
        onInput={({ currentTarget }) => setWritten(currentTarget.value)}
        onChange={async ({ currentTarget }) => pick(currentTarget.value.trim())}
      />
      <datalist id={`${id}-names`}>
        {offered.map((one) => (
          <option key={one.id} value={one.name} />
        ))}
      </datalist>
    </div>
  );
}
