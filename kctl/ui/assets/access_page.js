// Which permissions somebody needs, by what he has asked for.

import { request } from './api.js';
import { yamlText } from './code.js';
import { toast } from './dialog.js';
import { button, fill, h } from './dom.js';
import { address, remember } from './router.js';
import { linesOf, yamlOf } from './yaml.js';

/** @param {string} user @returns {import('./main.js').Page} */
export function accessPage(user) {
  const chosen = /** @type {HTMLSelectElement} */ (h('select', { 'aria-label': 'User', on: { change: () => load() } }));
  const result = h('div', { 'aria-live': 'polite' });
  /** @type {any[]} */
  let objects = [];
  const load = async () => {
    if (address().page !== 'access') return; // it is another page's already
    remember({ user: chosen.value });
    if (!chosen.value) return fill(result, h('p.muted', null, 'Nobody has asked anything yet.'));
    try {
      const answer = await request(`/localplane/v1/rbac/minimal?${new URLSearchParams({ user: chosen.value })}`);
      objects = answer.objects;
      fill(result, answer.warnings.map((/** @type {string} */ text) => h('p.note', null, text)),
        objects.length
          ? h('div.code', { tabindex: '0', role: 'region', 'aria-label': 'Roles and bindings' }, objects.map((object, index) => [index > 0 && h('div.line.gap', null, '---\n'), linesOf(object).map((line) => h('div.line', null, yamlText(line), '\n'))]))
          : h('p.muted', null, `${answer.user} needs no role: everybody may do what it has done.`));
    } catch (error) {
      fill(result, h('p.note.bad', { role: 'alert' }, error instanceof Error ? error.message : String(error)));
    }
  };
  request('/localplane/v1/rbac/users').then((answer) => {
    const users = answer.users.map((/** @type {any} */ one) => (typeof one === 'string' ? one : one.name)).sort();
    fill(chosen, [...new Set(user ? [user, ...users] : users)].map((name) => h('option', null, name)));
    if (user) chosen.value = user;
    load();
  }).catch((error) => fill(result, h('p.note.bad', null, error.message)));
  const copy = button('Copy', async () => {
    await navigator.clipboard.writeText(objects.map(yamlOf).join('---\n'));
    toast('Copied', 'good');
  }, { class: 'quiet' });
  return {
    title: 'Permissions',
    element: h('section.page', null, h('h1', null, 'Permissions'), h('p.lead', null, 'The smallest roles that allow what somebody has asked this plane for so far. Run your program, then take them.'), h('div.view-tools', null, chosen, h('div.push'), copy), result),
    stop() {},
  };
}
