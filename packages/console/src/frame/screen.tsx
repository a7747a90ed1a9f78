/** A screen: an address pattern, a title, and a view. `screens/groups.ts` lists them all, by the group that is loaded together. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Content } from '../kit/content.ts';
import type { IconName } from '../kit/icon.tsx';
import type { Role } from './session.ts';

/** The names in a pattern: `'devices/:device_id'` has `device_id`. */
type ParameterName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterName<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export interface ScreenProps<Path extends string = string> {
  /** The parameters of the address, decoded. */
  params: Record<ParameterName<Path>, string>;
}

interface Definition<Path extends string> {
  /** Below the app; for a screen that is `outside`, below `/console/`. */
  path: Path;
  /** The heading of the tab; the console adds the app's name. */
  title: string;
  view: (props: ScreenProps<Path>) => Content;
}

export interface Screen {
  title: string;
  /** @returns the view for a path, or undefined if the path belongs to another screen */
  open(path: string): Content | undefined;
}

export function defineScreen<const Path extends string>(definition: Definition<Path>): Screen {
  const { path: pattern, title, view: View } = definition;
  return {
    title,
    open(path) {
      const params = matchPath<ParameterName<Path>>(pattern, path);
      return params && <View key={path} params={params} />;
    },
  };
}

interface GroupDefinition {
  /** The first segment of the address of its screens, and the folder that has them. */
  name: string;
  /** The entry in the navigation, which leads to the screen whose path is the name. `needs`: the role without which it is left out. */
  navigation?: { label: string; icon: IconName; needs?: Role };
  /** For screens without an app. `public` ones are also shown to readers who have not signed in. */
  outside?: 'signed-in' | 'public';
  load: () => Promise<{ screens: readonly Screen[] }>;
}

/** Screens whose program the browser loads together, when the first of them is shown. */
export interface Group extends Omit<GroupDefinition, 'load'> {
  /** Undefined until they are loaded. */
  screens: ReadonlySignal<readonly Screen[] | undefined>;
  /** Why they could not be loaded the last time. */
  failure: ReadonlySignal<unknown>;
  /** Loads them, unless that is done or in progress. Never throws. */
  load: () => Promise<void>;
}

export function defineGroup(definition: GroupDefinition): Group {
  const screens = signal<readonly Screen[] | undefined>(undefined);
  const failure = signal<unknown>(undefined);
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    try {
      ({ screens: screens.value } = await definition.load());
      failure.value = undefined;
    } catch {
      // A browser may keep the failure of a module for as long as the page is open.
      failure.value = new Error('This page of the console could not be loaded. There may be a new release.');
      loading = undefined;
    }
  };
  return { ...definition, screens, failure, load: async () => (loading ??= load()) };
}

/** @returns the parameters, or undefined if the path does not match the pattern */
function matchPath<Name extends string>(pattern: string, path: string): Record<Name, string> | undefined {
  const found = new RegExp(`^${pattern.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`).exec(path);
  if (found === null) return undefined;
  try {
    const named = Object.entries(found.groups ?? {});
    const params: Record<string, string> = Object.fromEntries(
      named.map(([name, value]) => [name, decodeURIComponent(value)]),
    );
    return params;
  } catch {
    return undefined; // an address that somebody has typed may be encoded wrongly
  }
}
