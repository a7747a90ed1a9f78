/** The demo says that it is one. */
import { Menu } from './menu.tsx';

export function DemoPill() {
  return (
    <span class="demo-pill">
      <Menu name="Demo: what it is" label="Demo">
        <p class="demo-text">
          <DemoWords />
        </p>
      </Menu>
    </span>
  );
}

/** On the first screen. */
export function DemoNote() {
  return (
    <p class="demo-note">
      <DemoWords />
    </p>
  );
}

function DemoWords() {
  return (
    <>
      This is a demo: its thousand devices are made up, and Apple and Google are simulated on this machine. For real
      phones: <code>npx carillon start</code>.
    </>
  );
}
