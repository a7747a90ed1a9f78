/** A field with suggestions: the arrow keys choose one, Enter takes it, Escape closes the list. What was typed stays valid without one. */
import type { ComponentProps } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from '../kit/icon.tsx';

export interface Option {
  key: string;
  label: string;
  icon?: IconName;
  /** What explains it, or how often there is one. */
  detail?: string | undefined;
  /** The heading above it, if the previous option has another one. */
  section?: string | undefined;
}

type InputProps = 'id' | 'class' | 'aria-label' | 'aria-invalid' | 'placeholder' | 'onPaste';

interface ComboboxProps<One extends Option> extends Pick<ComponentProps<'input'>, InputProps> {
  onFocus?: () => void;
  onBlur?: () => unknown;
  value: string;
  onText: (text: string) => void;
  options: readonly One[];
  onChoose: (option: One) => void;
  /** Enter takes the first option for a text, if no other is chosen: for fields in which nothing but an option counts. */
  takesFirst?: boolean;
  /** For a field whose list is all that is around it: Escape is left to that, and an option is chosen before a text is typed. */
  alwaysOpen?: boolean;
  isFocused?: boolean;
  /** Keys that the list does not use. */
  onKey?: (event: KeyboardEvent) => unknown;
}

export function Combobox<One extends Option>(props: ComboboxProps<One>) {
  const { value, onText, options, onChoose, alwaysOpen = false, takesFirst = alwaysOpen, ...more } = props;
  const { isFocused = false, onKey, ...others } = more;
  const listId = useId();
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [chosen, choose] = useState<string | undefined>(undefined);
  const at = options.findIndex(({ key }) => key === chosen);
  const active = at === -1 && takesFirst && (alwaysOpen || value !== '') ? 0 : at;
  const isShown = (isOpen || alwaysOpen) && options.length > 0;
  useLayoutEffect(() => {
    // At once, so that what is typed right after a click goes to the field.
    if (isFocused) field.current?.focus();
  }, []);
  useEffect(() => {
    if (isShown) list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [isShown, active]);
  const take = (option: One): void => {
    setOpen(false);
    choose(undefined);
    onChoose(option);
  };
  const react = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const option = isShown ? options[active] : undefined;
    if (step !== undefined && options.length > 0) {
      setOpen(true);
      const next = isShown ? Math.max(active, step === 1 ? -1 : 0) + step : 0;
      choose(options.at(next % options.length)?.key);
    } else if (event.key === 'Enter' && !event.isComposing && (option !== undefined || takesFirst)) {
      // Without an option, Enter must not submit a form around the field.
      if (option !== undefined) take(option);
    } else if (event.key === 'Escape' && isShown && !alwaysOpen) setOpen(false);
    else {
      if (event.key === 'Enter') setOpen(false);
      onKey?.(event);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span class="combobox">
      <input
        {...others}
        ref={field}
        role="combobox"
        aria-expanded={isShown}
        aria-controls={isShown ? listId : undefined}
        aria-activedescendant={isShown && active >= 0 ? `${listId}-${active}` : undefined}
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck={false}
        dir="auto"
        value={value}
        onInput={({ currentTarget }) => {
          setOpen(true);
          choose(undefined);
          onText(currentTarget.value);
        }}
        onKeyDown={react}
        onFocus={() => {
          setOpen(true);
          others.onFocus?.();
        }}
        onClick={() => setOpen(true)}
        onBlur={() => {
          setOpen(false);
          others.onBlur?.();
        }}
      />
      {isShown && (
        <div
          ref={list}
          id={listId}
          class={alwaysOpen ? 'combobox-list' : 'raised combobox-list'}
          role="listbox"
          aria-label="Suggestions"
          onMouseDown={(event) => event.preventDefault() /* keeps the focus in the field */}>
          {options.map((option, index) => [
            option.section !== undefined && option.section !== options[index - 1]?.section && (
              <p key={`${option.section}:`} class="combobox-section" role="presentation">
                {option.section}
              </p>
            ),
            <div
              key={option.key}
              id={`${listId}-${index}`}
              class="combobox-option"
              role="option"
              aria-selected={index === active}
              onClick={() => take(option)}>
              {option.icon !== undefined && <Icon name={option.icon} />}
              <bdi>{option.label}</bdi>
              {option.detail !== undefined && <span class="muted">{option.detail}</span>}
            </div>,
          ])}
        </div>
      )}
      <span class="visually-hidden" role="status">
        {isShown ? `${options.length} suggestions` : ''}
      </span>
    </span>
  );
}
