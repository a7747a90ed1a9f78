/** The demo says that it is one: in the header, and in a sentence on the first screen. */
import { session } from './session.ts';

export function DemoPill() {
  return session.value?.is_demo === true && <span class="badge">Demo</span>;
}

export function DemoNote() {
  return (
    session.value?.is_demo === true && (
      <p class="demo-note">
        This is a demo: its thousand devices are made up, and Apple and Google are simulated on this machine. For real
        phones: <code>npx carillon start</code>.
      </p>
    )
  );
}
