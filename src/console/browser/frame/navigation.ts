import { html, type Content } from '../kit/html.ts';
import { Icon } from '../kit/icon.ts';
import type { Screen } from './screen.ts';
import { appAddress, appPlace } from './session.ts';

/** The screens of the app. On a phone it is hidden until the header's button opens it. */
export function Navigation(props: {
  screens: readonly Screen[];
  isOpen: boolean;
  close: () => void;
}): Content {
  const { screens, isOpen, close } = props;
  const entries = screens
    .flatMap(({ path, navigation }) => (navigation === undefined ? [] : [{ path, ...navigation }]))
    .sort((one, other) => one.order - other.order);
  const rest = appPlace.value?.rest ?? '';
  const [segment] = rest.split('/');
  return html`<nav id="navigation" class=${isOpen ? 'navigation open' : 'navigation'} aria-label="Screens">
    <ul>
      ${entries.map(({ path, label, icon }) => {
        const isHere = path === segment;
        return html`<li key=${path}>
          <a
            href=${appAddress(path)}
            aria-current=${isHere ? (rest === path ? 'page' : 'true') : undefined}
            onClick=${close}
          >
            <${Icon} name=${icon} />${label}
          </a>
        </li>`;
      })}
    </ul>
  </nav>`;
}
