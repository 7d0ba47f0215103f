// What happened to an object: its revisions, who wrote them, what each changed, and how it was then.

import { age, clock } from './ages.js';
import { request } from './api.js';
import { diffCode, yamlText } from './code.js';
import { button, fill, h } from './dom.js';
import { covered, isSecret } from './secrets.js';
import { linesOf, without, yamlOf } from './yaml.js';

/** @typedef {import('./api.js').Json} Json */
/** @typedef {{revision: number, time?: string, type: string, object: Json | null, verb?: string, user?: string, userAgent?: string}} Revision */

const UNCOMPARED = ['metadata.managedFields', 'metadata.resourceVersion'];
const WORDS = /** @type {Record<string, string>} */ ({ ADDED: 'created', MODIFIED: 'changed', DELETED: 'deleted', '': 'as it was at first' });

/** Who wrote it, in short. @param {Revision} one */
function writerOf(one) {
  const user = (one.user ?? '').replace(/^system:serviceaccount:[^:]*:/, '');
  const agent = (one.userAgent ?? '').split(' ')[0];
  return user === one.user ? [user, agent].filter(Boolean).join(' · ') : user;
}

/** Which fields are different, by their paths. @param {any} before @param {any} after @param {string} [path] @returns {string[]} */
function changedFields(before, after, path = '') {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const isMap = (/** @type {any} */ value) => value !== null && typeof value === 'object' && !Array.isArray(value);
  if (!isMap(before) || !isMap(after)) return path ? [path] : [];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => changedFields(before[name], after[name], path ? `${path}.${name}` : name));
}

/** @param {import('./api.js').Kind} kind @param {Json} first @returns {import('./object_page.js').View} */
export function historyView(kind, first) {
  const list = h('ol.revisions', { 'aria-label': 'Revisions' });
  const detail = h('div.revision-detail');
  /** @type {Revision[]} */
  let revisions = [];
  let picked = -1;
  let thenMode = false;
  let version = '';

  const seen = (/** @type {Json | null} */ object) => (object ? without(isSecret(kind) ? covered(object) : object, UNCOMPARED) : null);
  const draw = () => {
    fill(list, revisions.map((one, index) => h('li', null, button('', () => { picked = index; draw(); }, { 'aria-pressed': String(index === picked), class: one.type === 'DELETED' ? 'bad' : '' }))));
    [...list.querySelectorAll('button')].forEach((item, index) => {
      const one = revisions[index];
      const fields = one.type === 'MODIFIED' ? changedFields(seen(revisions[index + 1]?.object ?? null), seen(one.object)) : [];
      fill(item, h('strong', null, fields.length ? fields.slice(0, 2).join(', ') + (fields.length > 2 ? ` and ${fields.length - 2} more` : '') : WORDS[one.type] ?? one.type), h('span.muted.small', { title: `${one.user ?? ''} ${one.userAgent ?? ''}` }, writerOf(one)), h('span.muted.small', { title: one.time ?? '' }, one.time ? `${age(one.time)} ago` : ''));
    });
    const one = revisions[picked];
    if (!one) return fill(detail, h('p.muted', null, 'Its past is not known.'));
    const before = seen(revisions[picked + 1]?.object ?? null);
    const now = seen(one.type === 'DELETED' ? null : one.object);
    const mode = button('As it was then', () => { thenMode = !thenMode; draw(); }, { class: 'quiet', 'aria-pressed': String(thenMode) });
    fill(detail, h('div.view-tools', null, h('span.muted', null, `Revision ${one.revision}${one.time ? `, ${clock(one.time)}` : ''}`), h('div.push'), mode),
      thenMode && one.object ? h('div.code', { tabindex: '0', role: 'region', 'aria-label': 'As it was then' }, linesOf(seen(one.object) ?? {}).map((line) => h('div.line', null, yamlText(line), '\n')))
      : diffCode(before && one.type !== 'ADDED' ? yamlOf(before) : '', now ? yamlOf(now) : '', { label: 'What changed' }));
  };
  const load = async () => {
    const { namespace = '', name } = first.metadata;
    try {
      const answer = await request(`/localplane/v1/history/object?${new URLSearchParams({ group: kind.group, resource: kind.resource, namespace, name })}`);
      const last = revisions[picked]?.revision;
      revisions = answer.revisions.reverse();
      picked = Math.max(0, picked > 0 ? revisions.findIndex((one) => one.revision === last) : 0);
      draw();
    } catch (error) {
      fill(detail, h('p.muted', null, error instanceof Error ? error.message : String(error)));
    }
  };
  return {
    element: h('div.history', null, list, detail),
    show(now) {
      if (version === now.metadata.resourceVersion) return;
      version = now.metadata.resourceVersion;
      load();
    },
  };
}
