import { openCarillon } from './carillon-web.js';

const { pushService, ...settings } = await (await fetch('settings.json')).json();
const post = async (address, body) =>
  (await fetch(address, { method: 'POST', body: JSON.stringify(body) })).json();

// The simulated push service takes the place of the browser's.
const subscription = () => {
  const json = JSON.parse(localStorage.getItem('subscription'));
  if (!json?.endpoint.startsWith(pushService)) return null; // of an earlier demo
  const unsubscribe = async () => localStorage.removeItem('subscription');
  return { ...json, unsubscribe, toJSON: () => json };
};
PushManager.prototype.getSubscription = async () => subscription();
PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
  localStorage.setItem('subscription', JSON.stringify(await post('subscriptions', { applicationServerKey })));
  return subscription();
};

const [turnOn, turnOff, again, says, arrived] = ['turn-on', 'turn-off', 'again', 'state', 'arrived'].map(
  (id) => document.getElementById(id),
);
const WORDS = {
  on: 'Notifications are on. In the console, this browser is among the devices.',
  off: 'Notifications are off.',
  denied: 'You have refused notifications of this site. The settings of your browser can allow them.',
  add_to_home_screen: 'Add this page to the Home Screen first.',
  unsupported: 'This browser has no push notifications.',
};
const user_id = localStorage.getItem('visitor') ?? `visitor-${crypto.randomUUID().slice(0, 8)}`;
localStorage.setItem('visitor', user_id);

// What a site does: four lines, and a button.
const carillon = await openCarillon({
  ...settings,
  serviceWorker: '/worker.js',
  user: { user_id },
  onState: (state) => {
    says.textContent = WORDS[state];
    turnOn.disabled = state !== 'off';
    turnOn.hidden = state === 'on';
    turnOff.hidden = again.hidden = state !== 'on';
  },
});

const greet = () => post('greet', { user_id });
const said = (work) => () => work().catch((error) => (says.textContent = error.message));
turnOn.onclick = said(async () => (await carillon.enable()) === 'on' && greet());
turnOff.onclick = said(() => carillon.disable());
again.onclick = said(greet);

// What arrived before the page was loaded has been shown.
let seen = 0;
let polls = 0;
let last = subscription()?.endpoint;
async function ask() {
  const endpoint = subscription()?.endpoint;
  if (endpoint === undefined) return;
  const texts = await (await fetch(`pushes?endpoint=${encodeURIComponent(endpoint)}`)).json();
  if (endpoint !== last) seen = 0;
  else if (polls === 0) seen = texts.length;
  last = endpoint;
  const { active } = await navigator.serviceWorker.ready;
  for (const text of texts.slice(seen)) {
    active.postMessage(text);
    show(JSON.parse(text).notification);
  }
  seen = texts.length;
}
function show({ title, body }) {
  const item = document.createElement('li');
  item.append(Object.assign(document.createElement('strong'), { textContent: title }), body ?? '');
  arrived.hidden = false;
  arrived.querySelector('ol').prepend(item);
}
async function poll() {
  await ask().catch(() => {});
  polls += 1;
  setTimeout(poll, 1_000);
}
poll();
