// Search over everything: kinds, namespaces, and objects by name or label.

import { ask, nameOf } from './api.js';
import { openDialog } from './dialog.js';
import { fill, h } from './dom.js';
import { go, listAddress, objectAddress } from './router.js';
import { state } from './state.js';

/** @typedef {{text: string, detail: string, act: () => void}} Entry */

const PATIENCE = 150;

export function openPalette() {
  const input = /** @type {HTMLInputElement} */ (h('input', { type: 'search', placeholder: 'Search kinds, namespaces, objects, labels …', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'found', 'aria-autocomplete': 'list', 'aria-label': 'Search everything', spellcheck: 'false' }));
  const list = h('ul', { id: 'found', role: 'listbox', 'aria-label': 'Found' });
  const note = h('p.muted');
  const dialog = openDialog('Search', [input, list, note], { class: 'palette' });
  /** @type {Entry[]} */
  let entries = [];
  let current = 0;
  let asked = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const mark = () => {
    [...list.children].forEach((item, index) => item.setAttribute('aria-selected', String(index === current)));
    list.children[current]?.scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', `found-${current}`);
  };
  const choose = (/** @type {number} */ index) => {
    dialog.close();
    entries[index]?.act();
  };
  const show = (/** @type {Entry[]} */ found) => {
    entries = found;
    current = Math.min(current, Math.max(0, found.length - 1));
    fill(list, found.map((entry, index) => h('li', { role: 'option', id: `found-${index}`, on: { click: () => choose(index) } }, h('span', null, entry.text), h('span.muted', null, entry.detail))));
    mark();
  };
  const search = async () => {
    const words = input.value.trim();
    const near = here(words).flat();
    current = 0;
    show(near);
    note.textContent = '';
    clearTimeout(timer);
    if (!words) return;
    const number = ++asked;
    timer = setTimeout(async () => {
      const answer = await ask('search', { q: words }).catch((error) => ({ found: [], more: 0, problem: error.message }));
      if (number !== asked || !dialog.isConnected) return;
      const [first, later] = here(words);
      show([...first, ...answer.found.map(entryOf), ...later]);
      note.textContent = answer.problem ?? (answer.more ? `and ${answer.more} more: another word would help` : entries.length ? '' : 'Nothing has these words.');
    }, PATIENCE);
  };
  input.addEventListener('input', search);
  input.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && entries.length) {
      current = (current + step + entries.length) % entries.length;
      mark();
    } else if (event.key === 'Enter') choose(current);
    else return;
    event.preventDefault();
  });
  search();
  input.focus();
}

/** Kinds and namespaces: those that begin so, and others. @param {string} words @returns {[Entry[], Entry[]]} */
function here(words) {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (/** @type {string} */ text) => parts.every((part) => text.toLowerCase().includes(part));
  const kinds = state.kinds
    .filter((kind) => has(`${kind.kind} ${nameOf(kind)} ${kind.shortNames.join(' ')}`))
    .sort((one, other) => rank(one, parts[0]) - rank(other, parts[0]))
    .slice(0, 8);
  const namespaces = parts.length ? state.namespaces.filter(has).slice(0, 4) : [];
  const entry = (/** @type {import('./api.js').Kind} */ kind) => ({ text: kind.kind, detail: nameOf(kind), act: () => go(listAddress(kind)) });
  const isNear = (/** @type {import('./api.js').Kind} */ kind) => rank(kind, parts[0]) < 2;
  return [
    [...kinds.filter(isNear).map(entry), ...namespaces.map((name) => ({ text: name, detail: 'look at this namespace', act: () => state.choose(name) }))],
    kinds.filter((kind) => !isNear(kind)).map(entry),
  ];
}

/** @param {import('./api.js').Kind} kind @param {string | undefined} word */
function rank(kind, word) {
  if (!word) return 0;
  if (kind.shortNames.includes(word) || kind.kind.toLowerCase() === word || kind.resource === word) return 0;
  return kind.kind.toLowerCase().startsWith(word) ? 1 : 2;
}

/** @param {any} found @returns {Entry} */
function entryOf(found) {
  const place = found.namespace ? `${found.kind} in ${found.namespace}` : found.kind;
  return { text: found.name, detail: place, act: () => go(objectAddress(found, found.namespace, found.name)) };
}
