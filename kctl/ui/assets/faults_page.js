// What goes wrong on purpose: rules, switched on and off.

import { Refusal, request } from './api.js';
import { toast } from './dialog.js';
import { button, fill, h } from './dom.js';
import { state } from './state.js';

/** @typedef {import('./api.js').Json} Json */

const PATH = '/localplane/v1/faults';
const EVERY = 1500;
/** @type {{title: string, text: string, rule: Json}[]} */
const USUAL = [
  { title: 'Conflicts', text: 'every third update is refused with a 409', rule: { name: 'conflicts', match: { verbs: ['update', 'patch'] }, when: { every: 3 }, do: { answer: 409 } } },
  { title: 'Overloaded', text: 'half of all requests get a 429 and should come back', rule: { name: 'overloaded', match: {}, when: { probability: 0.5 }, do: { answer: 429, retryAfter: '1s' } } },
  { title: 'Slow', text: 'everything takes 500 ms more', rule: { name: 'slow', match: {}, do: { latency: '500ms' } } },
  { title: 'Lost answers', text: 'each fifth write is done, and its answer is lost', rule: { name: 'lost-answers', match: { verbs: ['create', 'update', 'patch'] }, when: { every: 5 }, do: { answer: 500, afterWrite: true } } },
  { title: 'Cut watches', text: 'watches are cut after ten events', rule: { name: 'cut-watches', match: { verbs: ['watch'] }, do: { watch: { end: 'cut', afterEvents: 10 } } } },
  { title: 'Forbidden', text: 'creating anything is refused with a 403', rule: { name: 'forbidden', match: { verbs: ['create'] }, do: { answer: 403 } } },
];

/** @returns {import('./main.js').Page} */
export function faultsPage() {
  const rules = h('div.cards');
  const record = h('ol.timeline');
  const agents = /** @type {HTMLInputElement} */ (h('input', { type: 'text', value: '', placeholder: 'my-operator/*', 'aria-label': 'Only for clients whose user agent is like this', spellcheck: 'false' }));
  let stopped = false;

  const load = async () => {
    try {
      const answer = await request(PATH);
      if (!stopped) draw(answer);
    } catch (error) {
      if (!stopped) fill(rules, h('p.muted', null, error instanceof Error ? error.message : String(error)));
    }
  };
  const change = async (/** @type {string} */ path, /** @type {{method: string, body?: string}} */ options) => {
    try {
      await request(path, options);
    } catch (error) {
      toast(error instanceof Refusal ? error.message : String(error), 'bad');
    }
    load();
  };
  const draw = (/** @type {Json} */ answer) => {
    const on = new Map(answer.rules.map((/** @type {Json} */ rule) => [rule.name, rule]));
    const off = (/** @type {string} */ name) => change(`${PATH}/${encodeURIComponent(name)}`, { method: 'DELETE' });
    const usual = USUAL.map((one) => card(one.title, one.text, on.get(one.rule.name), () => {
      const match = agents.value ? { ...one.rule.match, userAgents: [agents.value] } : one.rule.match;
      if (on.has(one.rule.name)) off(one.rule.name);
      else change(PATH, { method: 'POST', body: JSON.stringify({ ...one.rule, match }) });
    }));
    const others = answer.rules.filter((/** @type {Json} */ rule) => !USUAL.some((one) => one.rule.name === rule.name));
    fill(rules, usual, others.map((/** @type {Json} */ rule) => card(rule.name, JSON.stringify(rule.do), rule, () => off(rule.name))));
    fill(record, answer.record.slice(-30).reverse().map((/** @type {Json} */ hit) => h('li', null, h('time', null, `#${hit.number}`), h('div', null, h('strong', null, hit.rule), ` ${hit.verb} `, h('code', null, hit.path ?? ''), h('div.muted', null, [hit.user, hit.userAgent].filter(Boolean).join(' · '))))), !answer.record.length && h('li.none.muted', null, 'Nothing was struck yet.'));
  };
  const card = (/** @type {string} */ title, /** @type {string} */ text, /** @type {Json | undefined} */ rule, /** @type {() => void} */ turn) =>
    h('article.card.fault', { class: rule ? 'on' : '' }, h('div.card-head', null, h('strong', null, title),
      h('button.switch', { type: 'button', role: 'switch', 'aria-checked': String(Boolean(rule)), 'aria-label': title, disabled: state.about.readOnly, on: { click: turn } })),
      h('div.muted', null, text), rule && h('div.small', null, `${rule.status.hits} struck of ${rule.status.matched} that matched${rule.status.over ? ', over' : ''}`));
  load();
  const again = setInterval(() => document.visibilityState === 'visible' && load(), EVERY);
  return {
    title: 'Faults',
    element: h('section.page', null, h('h1', null, 'Faults'), h('p.lead', null, 'Let requests go wrong on purpose, and see what your program makes of it. This console asks the server too: say whom you mean.'),
      h('p', null, h('label', null, 'New rules are for clients like ', agents)), rules, h('h2', null, 'What was struck'), record),
    stop() {
      stopped = true;
      clearInterval(again);
    },
  };
}
