// The keyboard: what every page understands, what a page adds, and the list of all of it.

import { openDialog } from './dialog.js';
import { h } from './dom.js';

/** @type {[string, string][]} */
const EVERYWHERE = [
  ['s  or  Ctrl K', 'search everything'], ['n', 'choose a namespace'], ['g', 'overview'], ['b', 'kinds'], ['t', 'light, dark, or as the system'],
  ['Esc', 'back, or close'], ['?', 'these keys'],
];
/** @type {[string, string][]} */
const LISTS = [
  ['j  k  ↑  ↓', 'move'], ['Home  End  PgUp  PgDn', 'move far'], ['Enter', 'open'], ['/', 'filter'], ['l', 'label selector'], ['w', 'all columns'],
  ['c', 'create'], ['y', 'YAML of the row'], ['e', 'edit the row'], ['d', 'delete the row, after a look at what goes with it'],
];
/** @type {[string, string][]} */
const OBJECTS = [['[  ]', 'previous and next view'], ['o', 'overview of it'], ['y', 'YAML'], ['h', 'history'], ['e', 'edit'], ['d', 'delete'], ['u', 'up to its kind']];

export function showKeys() {
  const table = (/** @type {string} */ title, /** @type {[string, string][]} */ keys) =>
    h('section', null, h('h3', null, title), h('dl', null, keys.map(([key, text]) => [h('dt', null, key.split('  ').map((one) => (one === 'or' ? ' or ' : h('kbd', null, one)))), h('dd', null, text)])));
  openDialog('Keys', [h('div.keys', null, table('Everywhere', EVERYWHERE), table('Lists', LISTS), table('Objects', OBJECTS))], { class: 'help' });
}

/**
 * @param {() => Record<string, () => unknown>} current  the keys of the page that is shown
 * @param {Record<string, () => unknown>} always
 */
export function listen(current, always) {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented) return;
    const target = /** @type {HTMLElement | null} */ (event.target instanceof HTMLElement ? event.target : null);
    const typing = Boolean(target?.closest('input, textarea, select, [contenteditable]'));
    if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
      always.s();
      event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    if (typing) {
      if (event.key === 'Escape') target?.blur();
      return;
    }
    const act = current()[event.key] ?? always[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
