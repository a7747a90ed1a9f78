/** A push as a browser on a computer shows it, read from the JSON that all browsers get. */
import type { CompiledWebPush } from '../replies.ts';
import { AppIcon, Line, Picture } from './cards.tsx';

/** What is drawn of it (src/gateways/web-push/compile-web-push.ts). */
interface Message {
  notification: {
    title: string;
    body?: string;
    navigate?: string;
    tag: string;
    icon?: string;
    image?: string;
    silent?: boolean;
    actions?: { action: string; title: string }[];
  };
}

/** Most browsers show two buttons. */
const BUTTONS = 2;

export function BrowserCard(props: {
  compiled: CompiledWebPush;
  notificationId: string;
  appName: string;
  isDark: boolean;
  /** As for a phone. */
  isOther: boolean;
  isExpanded: boolean;
}) {
  const { compiled, notificationId, appName, isDark, isOther, isExpanded } = props;
  const { notification }: Message = JSON.parse(compiled.body);
  const { title, body, navigate, tag, icon, image, silent, actions = [] } = notification;
  const site = navigate === undefined ? 'the address of your site' : URL.parse(navigate)?.host;
  return (
    <section class={isOther ? 'tray tray-web other' : 'tray tray-web'} aria-label="In a browser">
      <h3>Browser</h3>
      <div class="tray-screen" data-look={isDark ? 'dark' : 'light'}>
        <article class="tray-card">
          <div class="tray-row">
            {icon === undefined ? <AppIcon appName={appName} /> : <Picture address={icon} isLarge={false} />}
            <div class="tray-texts">
              <Line text={title} name="tray-title" lines={isExpanded ? undefined : 1} />
              <Line text={body} name="tray-body" lines={isExpanded ? undefined : 4} />
              <p class="tray-site">
                <bdi>{site}</bdi>
              </p>
            </div>
          </div>
          {image !== undefined && <Picture address={image} isLarge={true} />}
          {actions.length > 0 && (
            <p class="tray-buttons">
              {actions.slice(0, BUTTONS).map(({ action, title: label }) => (
                <span key={action} dir="auto">
                  {label}
                </span>
              ))}
            </p>
          )}
        </article>
      </div>
      {silent === true && <p class="tray-said">Shown without a sound</p>}
      {tag !== notificationId && <p class="tray-said">It replaces an earlier push with this key</p>}
      {actions.length > BUTTONS && <p class="tray-said">Most browsers show only the first two buttons</p>}
    </section>
  );
}
