/** What a component returns, and what it may have as its children. Text in it is always text, never markup. */
export type { ComponentChildren as Content } from 'preact';
