import { useState } from 'preact/hooks';
import { Dialog } from '../../../kit/dialog.tsx';
import { Form, TextField } from '../../../kit/form.tsx';
import { languageName } from '../../../kit/format.ts';
import { languagesOf } from '../draft/content-sections.ts';
import { canonicalTag } from '../draft/languages.ts';
import { useWritten } from '../form.tsx';

/** Asks for the tag of a language. */
export function AddLanguage({ onAdd, onClose }: { onAdd: (tag: string) => void; onClose: () => void }) {
  const { notification } = useWritten();
  const [written, setWritten] = useState('');
  const [isRefused, setRefused] = useState(false);
  const text = written.trim();
  const tag = canonicalTag(text);
  const fault =
    text === ''
      ? 'Write the tag of a language, such as fr, fr-CA or zh-Hant.'
      : tag === undefined
        ? `“${text}” is not a language tag. Write one such as fr, fr-CA or zh-Hant.`
        : languagesOf(notification).includes(tag)
          ? `${tag} is there already.`
          : undefined;
  const add = async (): Promise<void> => {
    setRefused(fault !== undefined);
    if (tag === undefined || fault !== undefined) return;
    onAdd(tag);
    onClose();
  };
  return (
    <Dialog title="Add a language" onClose={onClose}>
      <Form onSubmit={add}>
        <TextField
          label="Language tag"
          code
          autofocus
          value={written}
          hint={
            tag === undefined || fault !== undefined
              ? 'A tag of BCP 47: fr, fr-CA, zh-Hant. Devices with fr-CA also get fr, if there is no fr-CA.'
              : [languageName(tag), ...(tag === text ? [] : [`as ${tag}`])].join(', ')
          }
          error={isRefused ? fault : undefined}
          onInput={setWritten}
        />
        <footer>
          <button type="button" onClick={onClose}>
            Back
          </button>
          <button class="primary">Add</button>
        </footer>
      </Form>
    </Dialog>
  );
}
