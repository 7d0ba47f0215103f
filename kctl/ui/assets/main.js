// The frame around the pages: where we are, which kinds there are, and whether the server is there.

import { ask, Refusal } from './api.js';
import { announce, button, fill, h } from './dom.js';
import { listen, showKeys } from './keys.js';
import { liveObjects, pause } from './live.js';
import { openPalette } from './palette.js';
import { address, go, listAddress } from './router.js';
import { Sidebar } from './sidebar.js';
import { state } from './state.js';
import { applyTheme, nextTheme, theme } from './theme.js';
import { wire } from './wire.js';

/**
 * @typedef {object} Page
 * @property {string} title
 * @property {HTMLElement} element
 * @property {() => void} [focus]
 * @property {Record<string, () => unknown>} [keys]
 * @property {() => void} stop
 */

/** @type {Page | null} */
let page = null;
let turn = 0;

applyTheme();
const main = h('main', { id: 'main', tabindex: '-1' });
const banner = h('div.banner', { role: 'alert', hidden: true });
const spaces = /** @type {HTMLSelectElement} */ (h('select', { 'aria-label': 'Namespace', title: 'Namespace (n)', on: { change: () => state.choose(spaces.value) } }));
const dot = h('span.dot', { title: 'connected' });
const context = h('span.context');
const themeButton = button('◐', () => turnTheme(), { class: 'icon', 'aria-label': 'Light or dark', title: 'Light, dark, or as the system (t)' });
const sidebar = new Sidebar(() => document.body.classList.remove('with-kinds'));
const kindsButton = button('☰', () => document.body.classList.toggle('with-kinds'), { class: 'icon kinds', 'aria-label': 'Kinds', title: 'Kinds (b)' });

fill(/** @type {HTMLElement} */ (document.getElementById('app')),
  h('header.top', null, kindsButton, h('a.brand', { href: '#/', 'aria-label': 'Overview' }, 'kctl'), dot, context, h('div.push'),
    button('Search', openPalette, { class: 'search', title: 'Search everything (s, Ctrl K)' }), spaces, themeButton,
    button('?', showKeys, { class: 'icon', 'aria-label': 'Keys', title: 'Keys (?)' })),
  banner, sidebar.element, h('div.shade', { on: { click: () => document.body.classList.remove('with-kinds') } }), main);

function turnTheme() {
  nextTheme();
  announce(`theme: ${theme()}`);
}

/** @param {string} group @param {string} resource */
async function kindFor(group, resource) {
  const name = group === 'core' ? '' : group;
  if (!state.kind(name, resource)) await state.discover().catch(() => {});
  return state.kind(name, resource);
}

/** @returns {Promise<Page>} */
async function makePage() {
  const { page: name, parts, query } = address();
  if (name === 'list' || name === 'object' || name === 'create') {
    const kind = await kindFor(parts[0], parts[2]);
    if (!kind) return missing(`The server has no ${parts[2]}${parts[0] === 'core' ? '' : `.${parts[0]}`} now.`);
    if (name === 'list') return (await import('./list_page.js')).listPage(kind, query);
    if (name === 'create') return (await import('./create_page.js')).createPage(kind);
    return (await import('./object_page.js')).objectPage(kind, parts[3] === '-' ? '' : parts[3], parts[4], parts[5] ?? '');
  }
  if (name === 'requests') return (await import('./requests_page.js')).requestsPage();
  if (name === 'faults') return (await import('./faults_page.js')).faultsPage();
  if (name === 'access') return (await import('./access_page.js')).accessPage(query.get('user') ?? '');
  if (name === '') return (await import('./overview_page.js')).overviewPage();
  return missing('There is no such page.');
}

/** @param {string} text @returns {Page} */
function missing(text) {
  return { title: 'Not here', element: h('section.page', null, h('h1', null, text), h('p', null, h('a', { href: '#/' }, 'To the overview'))), stop() {} };
}

async function show() {
  const number = ++turn;
  const made = await makePage();
  if (number !== turn) return made.stop();
  page?.stop();
  page = made;
  fill(main, made.element);
  document.title = `${made.title} · ${state.about.context || 'kctl'}`;
  announce(made.title);
  made.focus?.();
}

function drawSpaces() {
  const names = state.namespace && !state.namespaces.includes(state.namespace) ? [...state.namespaces, state.namespace] : state.namespaces;
  fill(spaces, h('option', { value: '' }, 'All namespaces'), names.map((name) => h('option', { value: name }, name)));
  spaces.value = state.namespace;
}

function drawConnection() {
  const problem = wire.open ? state.problem : new Refusal({ message: 'The console does not answer. Is `kctl ui` still running?' }, 0);
  banner.hidden = !problem;
  dot.classList.toggle('gone', Boolean(problem));
  dot.title = problem ? 'not connected' : 'connected';
  if (problem) {
    const sentence = problem.message.replace(/^./, (letter) => letter.toUpperCase()).replace(/[^.!?]$/, '$&.');
    fill(banner, h('strong', null, 'The server is gone. '), `${sentence} What is shown is what was there; it goes on by itself when the server is back.`);
  } else announce('connected');
}

async function start() {
  for (;;) {
    try {
      state.about = await ask('about');
      await state.discover();
      break;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      fill(main, h('section.page', null, h('h1', null, 'No answer'), h('p', null, error.message), h('p.muted', null, 'Trying again …')));
      await pause(1500);
    }
  }
  fill(context, h('strong', null, state.about.context || state.about.server), h('span.muted', null, ` ${state.about.version}`), state.about.readOnly && h('span.badge', null, 'read-only'));
  context.title = state.about.server;
  sidebar.draw();
  const core = { group: '', version: 'v1', resource: 'namespaces', namespaced: false };
  liveObjects('/api/v1/namespaces', {}, (objects) => {
    state.namespaces = [...objects.values()].map((one) => one.metadata.name).sort();
    drawSpaces();
  });
  const definitions = state.kind('apiextensions.k8s.io', 'customresourcedefinitions');
  if (definitions) liveObjects('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {}, () => state.discover().catch(() => {}));
  state.hear('namespace', drawSpaces);
  state.count();
  listen(() => page?.keys ?? {}, {
    s: openPalette,
    n: () => { spaces.focus(); try { spaces.showPicker(); } catch { /* where there is none the arrows do */ } },
    '?': showKeys,
    t: turnTheme,
    g: () => go('#/'),
    b: () => { document.body.classList.toggle('with-kinds'); sidebar.element.querySelector('a')?.focus(); },
    p: () => go(listAddress({ ...core, resource: 'pods' })),
    Escape: () => history.back(),
  });
  await show();
}

wire.listeners.add(drawConnection);
state.hear('connection', drawConnection);
addEventListener('hashchange', show);
wire.connect();
start();
