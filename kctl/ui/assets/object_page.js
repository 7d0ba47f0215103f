// One object, from all sides.

import { age } from './ages.js';
import { pathOf } from './api.js';
import { button, fill, h } from './dom.js';
import { Live } from './live.js';
import { go, link, listAddress, objectAddress } from './router.js';
import { state } from './state.js';
import { podTone } from './tones.js';

/** @typedef {import('./api.js').Json} Json */
/** @typedef {import('./api.js').Kind} Kind */

/**
 * What a view of an object is: it is shown each state of it, and told when it is over.
 * @typedef {object} View
 * @property {HTMLElement} element
 * @property {(object: Json) => void} show
 * @property {() => void} [stop]
 * @property {() => boolean} [isBusy]  whether something would be lost
 */

/** @typedef {{name: string, title: string, load: () => Promise<(kind: Kind, object: Json) => View>}} Tab */

/** @type {Tab[]} */
const TABS = [
  { name: '', title: 'Overview', load: async () => (await import('./object_overview.js')).objectOverview },
  { name: 'yaml', title: 'YAML', load: async () => (await import('./yaml_view.js')).yamlView },
  { name: 'history', title: 'History', load: async () => (await import('./history_view.js')).historyView },
  { name: 'log', title: 'Log', load: async () => (await import('./log_view.js')).logView },
  { name: 'edit', title: 'Edit', load: async () => (await import('./edit_view.js')).editView },
];

/** @param {Kind} kind @param {string} namespace @param {string} name @param {string} tab @returns {import('./main.js').Page} */
export function objectPage(kind, namespace, name, tab) {
  const word = h('span.word');
  const note = h('p.note', { role: 'alert', hidden: true });
  const body = h('div.tab-body');
  const canEdit = !state.about.readOnly && kind.verbs.includes('update');
  const canDelete = !state.about.readOnly && kind.verbs.includes('delete');
  const tabs = TABS.filter((one) => (one.name !== 'history' || state.about.ours) && (one.name !== 'log' || kind.subresources.includes('log')) && (one.name !== 'edit' || canEdit));
  const current = tabs.find((one) => one.name === tab) ?? tabs[0];
  /** @type {Json | null} */
  let object = null;
  /** @type {View | null} */
  let view = null;
  let stopped = false;
  const removing = button('Delete', () => remove(), { class: 'quiet', title: 'Delete, after a look at what goes with it (d)' });
  removing.hidden = !canDelete;

  const remove = async () => {
    if (object && canDelete) (await import('./removal.js')).confirmRemoval(kind, object);
  };
  const draw = async () => {
    if (!object) return;
    note.hidden = true;
    drawWord(word, kind, object);
    if (!view) {
      const make = await current.load();
      if (stopped || view || !object) return;
      view = make(kind, object);
      fill(body, view.element);
    }
    view.show(object);
  };
  const gone = () => {
    note.hidden = false;
    note.textContent = object ? `${kind.kind} ${name} has been deleted. This is how it was.` : `There is no ${kind.kind} ${name}${namespace ? ` in ${namespace}` : ''}.`;
    word.textContent = object ? 'deleted' : '';
  };
  const live = new Live(pathOf(kind, namespace), { query: { fieldSelector: `metadata.name=${name}` } }, {
    onPage(page) {
      const item = page.items?.[0];
      if (!item) return gone();
      object = { apiVersion: kind.group ? `${kind.group}/${kind.version}` : kind.version, kind: kind.kind, ...item };
      draw();
    },
    onEvents(events) {
      const last = events.at(-1);
      if (!last) return;
      if (last.type === 'DELETED') return gone();
      object = last.object;
      draw();
    },
    onState(problem) {
      state.report(problem);
      if (problem && !problem.isGone) {
        note.hidden = false;
        note.textContent = problem.message;
      }
    },
  });
  const step = (/** @type {number} */ by) => {
    const next = tabs[(tabs.indexOf(current) + by + tabs.length) % tabs.length];
    go(objectAddress(kind, namespace, name, next.name));
  };
  const to = (/** @type {string} */ name_) => () => tabs.some((one) => one.name === name_) && go(objectAddress(kind, namespace, name, name_));
  const list = h('div.tabs', { role: 'tablist', 'aria-label': 'Views of this object' }, tabs.map((one) =>
    h('a', { role: 'tab', href: objectAddress(kind, namespace, name, one.name), 'aria-selected': String(one === current) }, one.title)));
  return {
    title: `${name} · ${kind.kind}`,
    element: h('section.page.object', null,
      h('p.crumbs', null, link(listAddress(kind), kind.kind), namespace && [h('span.faint', null, ' in '), h('a', { href: listAddress(kind), on: { click: () => state.choose(namespace) } }, namespace)]),
      h('header.object-head', null, h('h1', null, name), word, h('div.push'), removing),
      list, note, body),
    focus: () => document.getElementById('main')?.focus(),
    keys: { '[': () => step(-1), ']': () => step(1), o: to(''), y: to('yaml'), h: to('history'), e: to('edit'), d: remove, u: () => go(listAddress(kind)) },
    stop() {
      stopped = true;
      live.stop();
      view?.stop?.();
    },
  };
}

/** How it is, in a word, and since when it is there. @param {HTMLElement} element @param {Kind} kind @param {Json} object */
function drawWord(element, kind, object) {
  const { metadata, status } = object;
  const pod = kind.resource === 'pods' && !kind.group ? podTone(object) : null;
  const ready = (status?.conditions ?? []).find((/** @type {Json} */ one) => ['Ready', 'Available', 'Established', 'Complete'].includes(one.type));
  const [tone, text] = metadata.deletionTimestamp ? ['busy', 'Terminating']
    : pod ? [pod.tone, pod.word]
    : ready ? [ready.status === 'True' ? 'good' : 'bad', ready.status === 'True' ? ready.type : `not ${ready.type}`]
    : ['', status?.phase ?? ''];
  element.className = `word ${tone ? `tone ${tone}` : ''}`;
  fill(element, text, h('span.muted', { title: metadata.creationTimestamp }, `${text ? ' · ' : ''}${age(metadata.creationTimestamp)} old`));
}
