/** `html` makes elements out of templates: text in them is always text, never markup. */
import { type ComponentChildren, h } from 'preact';
import htm from 'htm';

export type Content = ComponentChildren;

const build = htm.bind(h);

/** html`<p class="note">${text}</p>`; a component is written as html`<${Table} rows=${rows} />`. */
export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): Content {
  return build(strings, ...values);
}
