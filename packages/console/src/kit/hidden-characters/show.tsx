import { Fragment, options } from 'preact';
import type { Content } from '../content.ts';
import { findSuspects, type Suspect } from './find.ts';

/** From now on every text between tags shows what a reader could not see in it. Values of fields and attributes are not changed. */
export function showHiddenCharacters(): void {
  const earlier = options.vnode?.bind(options);
  options.vnode = (vnode) => {
    earlier?.(vnode);
    if (typeof vnode.type !== 'string' && vnode.type !== Fragment) return;
    const props: { children?: Content } = vnode.props;
    if (typeof props.children === 'string') props.children = shown(props.children);
    else if (Array.isArray(props.children) && props.children.some((child) => typeof child === 'string')) {
      props.children = props.children.map((child: Content) => (typeof child === 'string' ? shown(child) : child));
    }
  };
}

function shown(text: string) {
  const parts = findSuspects(text);
  return parts.length === 1 && parts[0] === text ? text : parts.map((part) => <Part part={part} />);
}

/** A component, whose text is not looked at again: a mixed word would be marked without end. */
function Part({ part }: { part: string | Suspect }) {
  if (typeof part === 'string') return part;
  if ('code' in part) {
    return (
      <span class="hidden-character" title="A character that one cannot see">
        {part.code}
      </span>
    );
  }
  return (
    <span class="mixed-letters" title={`Letters that look alike: ${part.scripts.join(' and ')}`}>
      <Part part={part.text} />
    </span>
  );
}
