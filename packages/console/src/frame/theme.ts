/** Light or dark: the system's setting, unless the reader has chosen. */
import { signal } from '@preact/signals';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const KEY = 'carillon.theme';

export const theme = signal<Theme>(stored());

function stored(): Theme {
  const kept = localStorage.getItem(KEY);
  return themes.find((one) => one === kept) ?? 'system';
}

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  localStorage.setItem(KEY, chosen);
  applyTheme();
}

/** `design.css` has the colours of both. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = theme.value;
}

/** Whether the page is dark now, by the reader's choice or the system's. */
export function isDark(): boolean {
  if (theme.value === 'system') return matchMedia('(prefers-color-scheme: dark)').matches;
  return theme.value === 'dark';
}
