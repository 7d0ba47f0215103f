// Changing an object: the text is tried on the server first, and what would become different is shown before it is made so.

import { pathOf, Refusal, request } from './api.js';
import { diffCode } from './code.js';
import { toast } from './dialog.js';
import { button, fill, h } from './dom.js';
import { merge } from './merge.js';
import { go, objectAddress } from './router.js';
import { covered, isSecret } from './secrets.js';
import { without, yamlOf } from './yaml.js';

/** @typedef {import('./api.js').Json} Json */
/** @typedef {import('./api.js').Kind} Kind */

const MANAGER = 'kctl-ui';
const UNCOMPARED = ['metadata.managedFields', 'metadata.resourceVersion', 'metadata.generation'];

/** @param {Kind} kind @param {Json} first @returns {import('./object_page.js').View} */
export function editView(kind, first) {
  const hidden = ['metadata.managedFields', 'metadata.resourceVersion', 'metadata.uid', 'metadata.generation', 'metadata.creationTimestamp', ...(kind.subresources.includes('status') ? ['status'] : [])];
  const text = /** @type {HTMLTextAreaElement} */ (h('textarea.editor', { spellcheck: 'false', 'aria-label': 'YAML of the object', autocomplete: 'off', wrap: 'off' }));
  const said = h('div.verdict', { role: 'status', 'aria-live': 'polite' });
  const behind = h('p.note', { hidden: true, role: 'status' });
  const review = button('Review the change', () => preview(), { class: 'primary' });
  const address = objectAddress(kind, first.metadata.namespace ?? '', first.metadata.name, '');
  /** What the text was made of. */
  let base = first;
  let live = first;
  const path = pathOf(kind, first.metadata.namespace, first.metadata.name);

  const shown = (/** @type {Json} */ object) => yamlOf(without(object, hidden));
  const compared = (/** @type {Json} */ object) => yamlOf(without(isSecret(kind) ? covered(object) : object, [...UNCOMPARED, ...hidden]));
  const reset = (/** @type {Json} */ object) => {
    base = object;
    text.value = shown(object);
    behind.hidden = true;
    fill(said);
  };
  const isDirty = () => text.value !== shown(base);

  /** @param {string} version @param {boolean} dry */
  const put = async (version, dry) => request(`${path}?fieldManager=${MANAGER}&fieldValidation=Strict${dry ? '&dryRun=All' : ''}`, { method: 'PUT', body: withVersion(text.value, version), type: 'application/yaml' });

  const preview = async () => {
    review.disabled = true;
    fill(said, h('p.muted', null, 'Trying it on the server …'));
    try {
      const result = await put(base.metadata.resourceVersion, true);
      const secret = isSecret(kind) && JSON.stringify([result.data, result.type]) !== JSON.stringify([base.data, base.type]);
      fill(said, h('h2', null, 'This would change'), diffCode(compared(base), compared(result), { label: 'What the change would do' }),
        secret && h('p.muted', null, 'Values of the secret are different; they are not shown here.'),
        h('div.actions', null, button('Back to the text', () => { fill(said); text.focus(); }), button('Make the change', () => apply(), { class: 'primary' })));
      said.querySelector('button.primary')?.scrollIntoView({ block: 'nearest' });
    } catch (error) {
      explain(error);
    } finally {
      review.disabled = false;
    }
  };
  const apply = async () => {
    try {
      base = await put(base.metadata.resourceVersion, false);
      toast('Changed', 'good');
      go(address);
    } catch (error) {
      explain(error);
    }
  };
  /** @param {unknown} error @returns {Promise<void>} */
  const explain = async (error) => {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 409) return conflict();
    const causes = error.status.details?.causes ?? [];
    fill(said, h('div.note.bad', { role: 'alert' }, h('strong', null, 'The server refuses it. '), causes.length ? h('ul', null, causes.map((/** @type {Json} */ one) => h('li', null, one.field && h('code', null, `${one.field} `), one.message))) : error.message));
  };
  /** Somebody else was faster: say who and what, and offer ways on. @returns {Promise<void>} */
  const conflict = async () => {
    const theirs = await request(path);
    const since = (theirs.metadata.managedFields ?? []).filter((/** @type {Json} */ one) => !(base.metadata.managedFields ?? []).some((/** @type {Json} */ old) => old.manager === one.manager && old.time === one.time && old.subresource === one.subresource));
    const who = [...new Set(since.map((/** @type {Json} */ one) => one.manager))].join(', ') || 'Somebody';
    let together;
    try {
      const mine = await put(theirs.metadata.resourceVersion, true);
      together = merge(strip(base), strip(mine), strip(theirs));
    } catch (error) {
      return explain(error);
    }
    const { merged, conflicts } = together;
    fill(said,
      h('div.note', { role: 'alert' }, h('strong', null, `${who} changed this while you were writing. `), 'Nothing of yours was applied. This is what is different since you began:'),
      diffCode(compared(base), compared(theirs), { label: 'What others changed' }),
      conflicts.length > 0 && h('p', null, 'Both of you changed ', conflicts.map((one, index) => [index ? ', ' : '', h('code', null, one)]), '.'),
      h('div.actions', null,
        button('Take theirs, drop mine', () => { reset(theirs); text.focus(); }),
        button(conflicts.length ? 'Merge; mine where both changed' : 'Merge both', () => { base = theirs; text.value = yamlOf(without(merged, hidden)); preview(); }, { class: 'primary' })));
  };
  reset(first);
  return {
    element: h('div', null, behind, text, h('div.actions.left', null, review, button('Undo', () => reset(live), { class: 'quiet' }), h('span.muted.small', null, 'Tried on the server before anything is changed.')), said),
    show(now) {
      live = now;
      if (now.metadata.resourceVersion === base.metadata.resourceVersion) return;
      if (!isDirty() && !said.childElementCount) return reset(now);
      if (compared(now) === compared(base)) return;
      behind.hidden = false;
      behind.textContent = 'It has changed meanwhile. Review your change to see what is different.';
    },
  };
}

/** What two changes are compared by. @param {Json} object */
function strip(object) {
  return without(object, ['metadata.managedFields', 'metadata.resourceVersion', 'metadata.generation', 'status']);
}

/** The text with the version that it was made of, so that nobody's change is lost. @param {string} text @param {string} version */
function withVersion(text, version) {
  if (!/^metadata:[ \t]*$/m.test(text)) throw new Refusal({ message: 'a line that says nothing but "metadata:" has to be there, with its fields below it' }, 400);
  return text.replace(/^metadata:[ \t]*$/m, `metadata:\n  resourceVersion: ${JSON.stringify(version)}`);
}
