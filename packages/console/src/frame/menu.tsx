import { useEffect, useRef } from 'preact/hooks';
import type { Content } from '../kit/content.ts';
import { Icon } from '../kit/icon.tsx';

/** A button that opens a small panel below it: links or buttons. Escape, or a click anywhere, closes it. */
export function Menu(props: { label: Content; name: string; end?: boolean; children?: Content }) {
  const { label, name, end = false, children } = props;
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event): void => {
      const element = menu.current;
      if (element === null || !element.open) return;
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        element.querySelector('summary')?.focus();
      } else if (event.target instanceof Element && element.contains(event.target)) {
        if (event.target.closest('a, button') === null) return;
      }
      element.open = false;
    };
    document.addEventListener('click', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('click', close);
      document.removeEventListener('keydown', close);
    };
  }, []);
  return (
    <details class={end ? 'menu menu-end' : 'menu'} ref={menu}>
      <summary aria-label={name}>
        <span class="cut">{label}</span>
        <Icon name="down" />
      </summary>
      <div class="menu-panel">{children}</div>
    </details>
  );
}
