import { Icon } from '../kit/icon.tsx';
import type { Group } from './screen.tsx';
import { appAddress, appPlace, may } from './session.ts';

/** The screens of the app. On a phone it is hidden until the header's button opens it. */
export function Navigation(props: { groups: readonly Group[]; isOpen: boolean; close: () => void }) {
  const { groups, isOpen, close } = props;
  const entries = groups.flatMap(({ name, navigation, load }) =>
    navigation === undefined || !may(navigation.needs ?? 'viewer') ? [] : [{ path: name, load, ...navigation }],
  );
  const rest = appPlace.value?.rest ?? '';
  const [segment] = rest.split('/');
  return (
    <nav id="navigation" class={isOpen ? 'navigation open' : 'navigation'} aria-label="Screens">
      <ul class="links">
        {entries.map(({ path, load, label, icon }) => {
          const isHere = path === segment;
          return (
            <li key={path}>
              <a
                href={appAddress(path)}
                aria-current={isHere ? (rest === path ? 'page' : 'true') : undefined}
                onPointerEnter={load}
                onFocus={load}
                onClick={close}>
                <Icon name={icon} />
                {label}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
