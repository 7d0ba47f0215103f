// All objects of a kind, in the server's own columns.

import { nameOf, pathOf, request } from './api.js';
import { button, h } from './dom.js';
import { Grid } from './grid.js';
import { Live } from './live.js';
import { go, objectAddress, remember } from './router.js';
import { Rows, tableRow } from './rows.js';
import { state } from './state.js';

/** @typedef {import('./api.js').Kind} Kind */
/** @typedef {import('./main.js').Page} Page */

/** @param {Kind} kind @param {URLSearchParams} query @returns {Page} */
export function listPage(kind, query) {
  const rows = new Rows();
  const filter = /** @type {HTMLInputElement} */ (h('input.filter', { type: 'search', placeholder: 'Filter  /', 'aria-label': 'Filter the rows: words, or !words that should not be there', value: query.get('q') ?? '', spellcheck: 'false' }));
  const selector = /** @type {HTMLInputElement} */ (h('input.selector', { type: 'search', placeholder: 'Labels: app=web,tier!=db', 'aria-label': 'Label selector', value: query.get('l') ?? '', spellcheck: 'false' }));
  const number = h('span.total', { 'aria-live': 'off' });
  const note = h('p.note', { role: 'alert', hidden: true });
  let loaded = false;
  /** @type {Live | null} */
  let live = null;

  const grid = new Grid(rows, {
    label: kind.kind,
    onOpen: (row) => go(objectAddress(kind, row.namespace, row.name)),
    addressOf: (row) => objectAddress(kind, row.namespace, row.name),
    empty: () => (!loaded ? 'Loading …' : rows.words.length ? 'Nothing has these words.' : `There are no ${nameOf(kind)}${state.namespace && kind.namespaced ? ` in ${state.namespace}` : ''}.`),
  });

  const count = () => {
    const shown = rows.words.length ? `${rows.shown.length} of ${rows.all.size}` : String(rows.all.size);
    if (number.textContent !== shown) number.textContent = shown;
    if (!selector.value && loaded) state.setCount(kind, rows.all.size);
  };

  const watch = () => {
    live?.stop();
    rows.clear();
    loaded = false;
    const namespace = kind.namespaced ? state.namespace : '';
    const withNamespace = kind.namespaced && !namespace;
    /** @type {Record<string, string>} */
    const more = selector.value.trim() ? { labelSelector: selector.value.trim() } : {};
    live = new Live(pathOf(kind, namespace), { form: 'table', query: more }, {
      onPage(page, first, last) {
        if (first) rows.clear();
        if (page.columnDefinitions) rows.columns = columnsOf(page.columnDefinitions, withNamespace);
        rows.add((page.rows ?? []).map((/** @type {any} */ row) => tableRow(row, withNamespace)));
        loaded = last || rows.pending.size > 0;
        grid.draw();
        requestAnimationFrame(count);
      },
      onEvents(events) {
        const now = performance.now();
        for (const { type, object } of events) {
          for (const made of (object.rows ?? []).map((/** @type {any} */ row) => tableRow(row, withNamespace, now))) {
            if (type === 'DELETED') rows.remove(made.key);
            else rows.add([made]);
          }
        }
        grid.draw();
        requestAnimationFrame(count);
      },
      onState(problem) {
        state.report(problem);
        note.hidden = !problem || problem.isGone;
        note.textContent = problem && !problem.isGone ? problem.message : '';
      },
    });
    grid.draw();
  };

  const keep = () => remember({ q: filter.value, l: selector.value });
  filter.addEventListener('input', () => { rows.filter(filter.value); grid.element.scrollTop = 0; grid.draw(); count(); keep(); });
  filter.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' || event.key === 'ArrowDown') { grid.element.focus(); grid.select(0); event.preventDefault(); }
    if (event.key === 'Escape') { filter.value = ''; rows.filter(''); grid.element.focus(); grid.draw(); keep(); event.stopPropagation(); }
  });
  selector.addEventListener('change', () => { keep(); watch(); });

  const wide = button('All columns', () => {
    grid.wide = !grid.wide;
    wide.setAttribute('aria-pressed', String(grid.wide));
    grid.draw();
  }, { class: 'quiet', 'aria-pressed': 'false', title: 'Also the columns that -o wide shows (w)' });
  const create = button('Create', () => go(`#/create/${kind.group || 'core'}/${kind.version}/${kind.resource}`), { class: 'quiet', title: 'A new one (c)' });
  if (state.about.readOnly || !kind.verbs.includes('create')) create.hidden = true;

  const title = h('header.page-head', null,
    h('h1', null, kind.kind, ' ', number),
    h('span.api', null, kind.group ? `${kind.group}/${kind.version}` : kind.version),
    h('div.tools', null, filter, selector, wide, create));
  rows.filter(filter.value);
  watch();
  const unhear = state.hear('namespace', watch);
  return {
    title: kind.kind,
    element: h('section.page.list', null, title, note, grid.element),
    focus: () => grid.element.focus(),
    keys: {
      '/': () => filter.focus(),
      w: () => wide.click(),
      c: () => create.hidden || create.click(),
      l: () => selector.focus(),
      d: () => {
        const row = rows.shown[grid.place];
        if (row && !state.about.readOnly) remove(kind, row);
      },
      y: () => { const row = rows.shown[grid.place]; if (row) go(objectAddress(kind, row.namespace, row.name, 'yaml')); },
      e: () => { const row = rows.shown[grid.place]; if (row) go(objectAddress(kind, row.namespace, row.name, 'edit')); },
      j: () => { grid.element.focus(); grid.select(grid.place + 1); },
      k: () => { grid.element.focus(); grid.select(grid.place - 1); },
    },
    stop() {
      live?.stop();
      grid.stop();
      unhear();
    },
  };
}

/** @param {any[]} definitions @param {boolean} withNamespace @returns {import('./rows.js').Column[]} */
function columnsOf(definitions, withNamespace) {
  const columns = definitions.map((one) => ({ name: one.name, type: one.type, priority: one.priority ?? 0, description: one.description }));
  return withNamespace ? [{ name: 'Namespace', type: 'string', priority: 0 }, ...columns] : columns;
}

/** @param {Kind} kind @param {import('./rows.js').Row} row */
async function remove(kind, row) {
  const { confirmRemoval } = await import('./removal.js');
  confirmRemoval(kind, await request(pathOf(kind, row.namespace, row.name)));
}
