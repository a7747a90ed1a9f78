/** A screen: an address pattern, a title, and a view. `screens/every-screen.ts` lists them all. */
import { html, type Content } from '../kit/html.ts';
import type { IconName } from '../kit/icon.ts';

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

/** An entry in the navigation. */
interface Navigation {
  label: string;
  icon: IconName;
  /** Entries are sorted by it: overview 10, notifications 20, compose 30, audiences 40, devices 50, outcomes 60, audit 70, settings 80. */
  order: number;
}

interface Definition<Path extends string> {
  /**
   * Below the app: `notifications/:notification_id` is shown at `/console/apps/<bundle id>/notifications/…`. A screen
   * that is `outside` has the whole address below `/console/`.
   */
  path: Path;
  /** The heading of the tab; the console adds the app's name. */
  title: string;
  navigation?: Navigation;
  /** For screens without an app. `public` ones are also shown to readers who have not signed in. */
  outside?: 'signed-in' | 'public';
  view: (props: ScreenProps<Path>) => Content;
}

export interface Screen {
  path: string;
  title: string;
  navigation: Navigation | undefined;
  outside: 'signed-in' | 'public' | undefined;
  /** @returns the view for a path, or undefined if the path belongs to another screen */
  open(path: string): { content: Content } | undefined;
}

export function defineScreen<const Path extends string>(definition: Definition<Path>): Screen {
  const { path: pattern, title, navigation, outside, view } = definition;
  return {
    path: pattern,
    title,
    navigation,
    outside,
    open(path) {
      const params = matchPath(pattern, path);
      return params && { content: html`<${view} key=${path} params=${params} />` };
    },
  };
}

/** @returns the parameters, or undefined if the path does not match the pattern */
export function matchPath<Path extends string>(
  pattern: Path,
  path: string,
): Record<ParameterName<Path>, string> | undefined {
  const names = pattern.split('/');
  const segments = path.split('/');
  if (names.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const segment = segments[index] ?? '';
    if (name.startsWith(':')) {
      const value = decoded(segment);
      if (value === undefined) return undefined;
      params[name.slice(1)] = value;
    } else if (name !== segment) return undefined;
  }
  return isComplete<ParameterName<Path>>(params) ? params : undefined;
}

function isComplete<Name extends string>(params: Record<string, string>): params is Record<Name, string> {
  return Object.values(params).every((value) => value !== '');
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
