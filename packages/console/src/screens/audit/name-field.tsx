import { useId, useState } from 'preact/hooks';
import { Combobox } from '../../filter-builder/combobox.tsx';
import { useFound } from '../../filter-builder/suggestions.ts';
import { announce } from '../../frame/notices.tsx';

export interface Named {
  id: string;
  name: string;
}

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
}) {
  const { label, placeholder, value, find, onPick } = props;
  const id = useId();
  const [written, setWritten] = useState<string | undefined>(undefined);
  const [chosen, setChosen] = useState<Named | undefined>(undefined);
  const offered = useFound(find, written ?? value) ?? [];
  const take = (picked: Named | undefined): void => {
    setWritten(undefined);
    setChosen(picked);
    onPick(picked?.id ?? '');
  };
  const submit = async (): Promise<void> => {
    if (written === undefined) return;
    const typed = written.trim();
    const found = typed === '' ? [] : await find(typed, NEVER_ABORTED);
    const exact = found.find((one) => [one.id, one.name.toLowerCase()].includes(typed.toLowerCase()));
    const picked = exact ?? (found.length === 1 ? found[0] : undefined);
    if (typed === '' || picked !== undefined) take(picked);
    else {
      const why = found.length === 0 ? `Nothing is called ${typed}.` : 'Several have this in their name: choose one.';
      announce(why, { isBad: true });
    }
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Combobox
        id={id}
        value={written ?? [chosen, ...offered].find((one) => one?.id === value)?.name ?? value}
        placeholder={placeholder}
        options={offered.map((named) => ({ key: named.id, label: named.name, named }))}
        onText={setWritten}
        onChoose={({ named }) => take(named)}
        onKey={(event) => event.key === 'Enter' && submit()}
        onBlur={submit}
      />
    </div>
  );
}
