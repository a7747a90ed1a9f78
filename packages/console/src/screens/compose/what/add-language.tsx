import { useState } from 'preact/hooks';
import { Dialog } from '../../../kit/dialog.tsx';
import { Form, TextField } from '../../../kit/form.tsx';
import { languageName } from '../../../kit/format.ts';
import type { Content } from '../../../kit/content.ts';
import { canonicalTag } from '../draft/languages.ts';

/** Asks for the tag of a language. @param props.languages the existing languages */
export function AddLanguage(props: {
  languages: readonly string[];
  onAdd: (tag: string) => void;
  onClose: () => void;
}): Content {
  const { languages, onAdd, onClose } = props;
  const [written, setWritten] = useState('');
  const [isRefused, setRefused] = useState(false);
  const text = written.trim();
  const tag = canonicalTag(text);
  const fault = faultOf(text, tag, languages);
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
            tag !== undefined && fault === undefined ? (
              <>
                <bdi>{languageName(tag)}</bdi>
                {tag === text ? '' : `, as ${tag}`}
              </>
            ) : (
              'A tag of BCP 47: fr, fr-CA, zh-Hant. Devices with fr-CA also get fr, if there is no fr-CA.'
            )
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

/** @param tag the canonical form of the text, if it is a tag */
function faultOf(text: string, tag: string | undefined, languages: readonly string[]): string | undefined {
  if (text === '') return 'Write the tag of a language, such as fr, fr-CA or zh-Hant.';
  if (tag === undefined) return `“${text}” is not a language tag. Write one such as fr, fr-CA or zh-Hant.`;
  return languages.includes(tag) ? `${tag} is there already.` : undefined;
}
