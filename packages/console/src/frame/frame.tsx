/** The frame around every screen, and the choice of the screen from the address. */
import { useEffect, useErrorBoundary, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Content } from '../kit/content.ts';
import { DeveloperDrawer } from '../kit/developer/drawer.tsx';
import { Empty, Failure, Loading, useWhileVisible } from '../kit/states.tsx';
import { Header, Navigation } from './header.tsx';
import { Notices } from './notices.tsx';
import { addressOf, go, place } from './router.ts';
import type { Group } from './screen.tsx';
import { StatusBar } from './status-bar.tsx';
import { app, appPlace, loadSession, session, sessionFailure } from './session.ts';

const LAST_APP = 'carillon.app';
const SESSION_AGAIN_MS = 2_000;

/** @param props `search`: what the header has to find things by */
export function Console({ groups, search }: { groups: readonly Group[]; search: Content }) {
  const { path } = place.value;
  const group = groupOf(groups, path);
  if (group?.outside === 'public') {
    const { title, content } = choose(group, path);
    return (
      <>
        <Titled title={title} />
        <main id="main" tabindex={-1}>
          {content}
        </main>
        <Notices />
      </>
    );
  }
  if (sessionFailure.value !== undefined) return <Unavailable error={sessionFailure.value} />;
  if (session.value === undefined) {
    return (
      <main class="alone">
        <Loading />
      </main>
    );
  }
  if (session.value === null) return <LeadTo page="sign-in" />;
  const isFactorMissing = session.value.user.second_factor === 'required';
  if (isFactorMissing && group?.name !== 'account') return <LeadTo page="account" />;
  return <Framed groups={groups} group={group} search={search} />;
}

/** Tries again by itself, so that the page appears as soon as the server answers. */
function Unavailable({ error }: { error: unknown }) {
  useWhileVisible(SESSION_AGAIN_MS, loadSession);
  return (
    <>
      <StatusBar />
      <main class="alone">
        <Failure error={error} retry={loadSession} />
      </main>
    </>
  );
}

/** @returns the group whose screens have addresses like this path below `/console/` */
export function groupOf(groups: readonly Group[], path: string): Group | undefined {
  const inApp = appPlace.value;
  const [segment] = (inApp?.rest ?? path).split('/');
  return groups.find(({ name, outside }) => name === segment && (outside === undefined) === (inApp !== undefined));
}

/** Leads to a page that comes first, and back to this address afterwards. */
function LeadTo({ page }: { page: 'sign-in' | 'account' | 'start' }) {
  useEffect(() => {
    const { path, query } = place.value;
    const next = addressOf(path, Object.fromEntries(query));
    go(addressOf(page, { next: next === '.' ? undefined : next }), 'replace');
  }, [page]);
  return null;
}

interface Chosen {
  groups: readonly Group[];
  /** The one of the address. */
  group: Group | undefined;
}

function Framed({ groups, group, search }: Chosen & { search: Content }) {
  const [isNavigationOpen, setNavigationOpen] = useState(false);
  return (
    <>
      <a class="button primary skip-link" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <Header
        search={search}
        isNavigationOpen={isNavigationOpen}
        toggleNavigation={() => setNavigationOpen(!isNavigationOpen)}
      />
      <div class="frame">
        {app.value !== undefined && (
          <Navigation groups={groups} isOpen={isNavigationOpen} close={() => setNavigationOpen(false)} />
        )}
        <div class="body">
          <StatusBar />
          {group === groups[0] && session.value?.is_demo === true && (
            <p class="demo-note">
              This is a demo: its thousand devices are made up, and Apple and Google are simulated on this machine. For
              real phones: <code>npx carillon start</code>.
            </p>
          )}
          <ScreenOfAddress groups={groups} group={group} />
        </div>
        <DeveloperDrawer />
      </div>
      <Notices />
    </>
  );
}

function skip(event: Event): void {
  event.preventDefault(); // the page has a base address, so the fragment alone would lead away
  document.querySelector<HTMLElement>('#main')?.focus();
}

/**
 * The screen of the address. After each change of screen, the focus moves to the screen or its first field, so that a
 * screen reader starts there. Browsers obey `autofocus` only when a page is loaded.
 */
function ScreenOfAddress({ groups, group }: Chosen) {
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const { path } = place.value;
  const isLoaded = group === undefined || group.screens.value !== undefined;
  // Before the next key press is handled: what is typed at once goes to the new screen.
  useLayoutEffect(() => {
    if (!isLoaded) return;
    if (!isFirst.current) {
      const field = main.current?.querySelector<HTMLElement>('[autofocus]');
      (field ?? main.current)?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    isFirst.current = false;
  }, [path, isLoaded]);
  const { title, content } = chooseInFrame({ groups, group }, path);
  const name = app.value?.name;
  return (
    <>
      <Titled title={name === undefined ? title : `${title} · ${name}`} />
      <main id="main" tabindex={-1} ref={main}>
        <Guarded key={path} title={title}>
          {content}
        </Guarded>
      </main>
    </>
  );
}

/** Shows that a screen has failed because of a fault of ours; the frame around it keeps working. */
function Guarded({ title, children }: { title: string; children?: Content }) {
  const [fault, retry]: [unknown, () => void] = useErrorBoundary();
  if (fault === undefined) return children;
  const message = `This page of the console has failed: ${fault instanceof Error ? fault.message : 'its program threw no error'}`;
  return (
    <div class="stack">
      <h1>{title}</h1>
      <Failure error={new Error(message)} retry={retry} />
    </div>
  );
}

interface Shown {
  title: string;
  content: Content;
}

function chooseInFrame({ groups, group }: Chosen, path: string): Shown {
  const inApp = appPlace.value;
  if (inApp !== undefined && app.value === undefined) return noAccess;
  if (group !== undefined) return choose(group, inApp?.rest ?? path);
  const isStart = path === '' || inApp?.rest === '';
  return isStart ? { title: 'Start', content: <Start groups={groups} /> } : notFound;
}

/** @param path below the app, if the group is not outside of apps */
function choose(group: Group, path: string): Shown {
  if (group.screens.value === undefined) {
    return { title: group.navigation?.label ?? 'Console', content: <Opening group={group} /> };
  }
  for (const screen of group.screens.value) {
    const content = screen.open(path);
    if (content !== undefined) return { title: screen.title, content };
  }
  return notFound;
}

/** Until the screens of a group are loaded. */
function Opening({ group }: { group: Group }) {
  useEffect(() => void group.load(), [group]);
  const failure = group.failure.value;
  return failure === undefined ? <Loading /> : <Failure error={failure} retry={() => location.reload()} />;
}

/** Leads from `/console` to the first screen of the app that was viewed last. */
function Start({ groups }: { groups: readonly Group[] }) {
  const apps = session.value?.apps ?? [];
  const last = localStorage.getItem(LAST_APP);
  const target = app.value ?? apps.find(({ bundle_id }) => bundle_id === last) ?? apps[0];
  const first = groups.find(({ navigation }) => navigation !== undefined);
  useEffect(() => {
    if (target === undefined || first === undefined) return;
    go(addressOf(`apps/${encodeURIComponent(target.bundle_id)}/${first.name}`), 'replace');
  }, [target, first]);
  return target === undefined && <LeadTo page="start" />; // else the effect is about to show another address
}

function Titled({ title }: { title: string }) {
  const bundleId = app.value?.bundle_id;
  useEffect(() => {
    document.title = `${title} · Carillon`;
    if (bundleId !== undefined) localStorage.setItem(LAST_APP, bundleId);
  }, [title, bundleId]);
  return null;
}

const noAccess = missing(
  'No access',
  'This app is not among yours',
  <>
    It does not exist, or you have no role in it. <a href=".">Go to your apps</a>
  </>,
);
const notFound = missing('Not found', 'This page does not exist', <a href=".">Go to the start page</a>);

function missing(title: string, what: string, next: Content): Shown {
  const content = (
    <>
      <h1>{title}</h1>
      <Empty title={what}>
        <p>{next}</p>
      </Empty>
    </>
  );
  return { title, content };
}
