// Who asks the server what, as it happens.

import { clock } from './ages.js';
import { button, h } from './dom.js';
import { Grid } from './grid.js';
import { pause } from './live.js';
import { go } from './router.js';
import { Rows } from './rows.js';
import { wire } from './wire.js';

/** @typedef {import('./api.js').Json} Json */

const KEPT = 5000;
const SLOW = 0.1; // seconds
const OWN = /^kctl-ui\//;

/** @returns {import('./main.js').Page} */
export function requestsPage() {
  const rows = new Rows();
  rows.columns = ['Time', 'Status', 'Took', 'Verb', 'Resource', 'Name', 'User', 'Client'].map((name) => ({ name: name === 'Name' ? 'Object' : name, type: 'string', priority: 0 }));
  const filter = /** @type {HTMLInputElement} */ (h('input.filter', { type: 'search', placeholder: 'Filter  /', 'aria-label': 'Filter the requests', spellcheck: 'false' }));
  const number = h('span.total');
  /** @type {Json[]} */
  let kept = [];
  let next = 0;
  let only = '';
  let own = false;
  let stopped = false;
  let missed = 0;
  /** @type {() => void} */
  let stopWatch = () => {};

  const grid = new Grid(rows, {
    label: 'Requests',
    onOpen: (row) => row.data.user && go(`#/access?user=${encodeURIComponent(row.data.user)}`),
    empty: () => 'Nobody has asked anything that fits.',
    tone: (column, _, row) => (column === 'Status' ? (row.data.status >= 400 || row.data.status === 0 ? 'bad' : 'good') : column === 'Took' && !row.data.watch && row.data.durationSeconds > SLOW ? 'busy' : ''),
  });
  const fits = (/** @type {Json} */ one) => (own || !OWN.test(one.userAgent ?? '')) && (only !== 'failing' || one.status >= 400) && (only !== 'slow' || (!one.watch && one.durationSeconds > SLOW));
  const rowOf = (/** @type {Json} */ one) => {
    const resource = one.resource ? `${one.resource}${one.subresource ? `/${one.subresource}` : ''}${one.apiGroup ? `.${one.apiGroup}` : ''}` : one.uri;
    const cells = [clock(one.time), one.status || '…', took(one), one.verb, resource, [one.namespace, one.name].filter(Boolean).join('/'), one.user ?? '', (one.userAgent ?? '').split(' ')[0]];
    return { key: String(1e9 - one.number).padStart(10, '0'), namespace: '', name: '', cells, created: '', labels: {}, deleting: false, text: cells.join(' ').toLowerCase(), changed: 0, data: one };
  };
  const redraw = () => {
    rows.clear();
    rows.add(kept.filter(fits).map(rowOf));
    rows.arrange();
    grid.draw();
    number.textContent = String(rows.all.size);
  };
  const take = (/** @type {Json[]} */ lines) => {
    const fresh = [];
    for (const line of lines) {
      if (line.missed) { missed += line.missed; continue; }
      line.number = next++;
      fresh.push(line);
    }
    kept.push(...fresh);
    rows.add(fresh.filter(fits).map(rowOf));
    while (kept.length > KEPT) {
      const [first] = kept.splice(0, 1);
      rows.remove(rowOf(first).key);
    }
    grid.draw();
    requestAnimationFrame(() => { number.textContent = `${rows.all.size}${missed ? `, ${missed} missed` : ''}`; });
  };
  const follow = async () => {
    while (!stopped) {
      kept = [];
      redraw();
      const status = await new Promise((resolve) => {
        stopWatch = wire.watch({ path: '/localplane/v1/requests?follow=true&tail=500', accept: 'application/json', onLines: take, onEnd: resolve });
      });
      if (status?.message) grid.empty.textContent = status.message;
      await pause(1000);
    }
  };
  follow();
  const choice = (/** @type {string} */ name, /** @type {string} */ text) => button(text, () => {
    only = only === name ? '' : name;
    for (const one of choices) one.setAttribute('aria-pressed', String(one.dataset.name === only));
    redraw();
  }, { class: 'quiet', 'aria-pressed': 'false', 'data-name': name });
  const choices = [choice('failing', 'Failing'), choice('slow', 'Slow')];
  const ownButton = button('This console’s too', () => { own = !own; ownButton.setAttribute('aria-pressed', String(own)); redraw(); }, { class: 'quiet', 'aria-pressed': 'false' });
  filter.addEventListener('input', () => { rows.filter(filter.value); grid.draw(); });
  return {
    title: 'Requests',
    element: h('section.page.list.requests', null, h('header.page-head', null, h('h1', null, 'Requests ', number), h('span.api', null, 'as they come, the latest first; a click shows what its user needs'), h('div.tools', null, filter, choices, ownButton)), grid.element),
    focus: () => grid.element.focus(),
    keys: { '/': () => filter.focus() },
    stop() {
      stopped = true;
      stopWatch();
      grid.stop();
    },
  };
}

/** @param {Json} one */
function took(one) {
  if (one.durationSeconds === undefined) return 'lasts';
  const milliseconds = one.durationSeconds * 1000;
  return milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${one.durationSeconds.toFixed(1)} s`;
}
