/** The entry point of the console in the browser. */
import { render } from 'preact';
import { PaletteButton } from './command-palette/palette-button.tsx';
import { whenSignedOut } from './frame/api.ts';
import { Console, groupOf } from './frame/frame.tsx';
import { place, startRouter } from './frame/router.ts';
import { loadSession, session } from './frame/session.ts';
import { applyTheme } from './frame/theme.ts';
import { showHiddenCharacters } from './kit/hidden-characters/show.tsx';
import { groups } from './screens/groups.ts';

applyTheme();
showHiddenCharacters();
startRouter();
whenSignedOut(() => {
  session.value = null;
});
// The page shows its skeleton until then.
await Promise.all([loadSession(), groupOf(groups, place.value.path)?.load()]);

const element = document.querySelector('#console');
if (element !== null) {
  element.replaceChildren();
  render(<Console groups={groups} search={<PaletteButton groups={groups} />} />, element);
}
