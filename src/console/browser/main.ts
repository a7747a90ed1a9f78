/** The entry point of the console in the browser. */
import { render } from 'preact';
import { whenSignedOut } from './frame/api.ts';
import { Console } from './frame/frame.ts';
import { startRouter } from './frame/router.ts';
import { loadSession, session } from './frame/session.ts';
import { applyTheme } from './frame/theme.ts';
import { html } from './kit/html.ts';
import { everyScreen } from './screens/every-screen.ts';

applyTheme();
startRouter();
whenSignedOut(() => {
  session.value = null;
});
void loadSession();

const element = document.querySelector('#console');
if (element !== null) render(html`<${Console} screens=${everyScreen} />`, element);
